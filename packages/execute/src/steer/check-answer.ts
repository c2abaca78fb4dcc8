import {
  err,
  type Failure,
  failure,
  type JsonObject,
  ok,
  type PersonWait,
  type Result,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { faultsIn, readRoleSchema } from "../table/role-schema.ts";

/** The meta that an answer gives, with the defaults of its form. `ANSWER_INVALID` names every fault with its field. */
export function checkAnswer(
  { role, form }: Pick<PersonWait, "role" | "form">,
  answer: JsonObject,
): Result<JsonObject, Failure> {
  const parsed = readRoleSchema(role, form).safeParse(answer);
  const meta = parsed.success ? toJsonObject(parsed.data) : null;
  if (meta !== null) return ok(meta);
  const faults = parsed.success
    ? [{ path: "", message: "is no JSON object" }]
    : faultsIn(parsed.error);
  const words = faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return err(
    failure(
      "ANSWER_INVALID",
      `the answer does not fit what ${role} is asked: ${words.join("; ")}`,
      "correct these fields and answer again; nothing was changed",
    ),
  );
}
