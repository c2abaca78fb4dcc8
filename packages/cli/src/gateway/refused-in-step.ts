import {
  err,
  type Failure,
  failure,
  PROCESS_TAG_ENV,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Io } from "../command/io.ts";

/** An agent that makes itself a way in would answer in place of a person. null: this is no step's process. */
export function refusedInStep({ env }: Pick<Io, "env">): Result<never, Failure> | null {
  if (!env[PROCESS_TAG_ENV]) return null;
  return err(
    failure(
      "ACCESS_DENIED",
      "a process of a step may not open a way to its own engine; nothing was changed",
      "call this from a terminal of your own",
    ),
  );
}
