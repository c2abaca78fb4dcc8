import { existsSync } from "node:fs";
import { checkThreadIndex } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { type Check, fine, type Patient, wrong } from "./check.ts";

const NAME = "index";

/** The database that says where every thread stands is sound. */
export async function checkIndex({ root }: Patient): Promise<Check> {
  const { index } = storagePaths(root);
  if (!existsSync(index)) return fine(NAME, "no index.db yet: no thread was started");
  const faults = await checkThreadIndex(root);
  const [first] = faults;
  if (first === undefined) return fine(NAME, `${index} is sound`);
  return wrong(NAME, faults.map(({ message }) => message).join("; "), first.hint);
}
