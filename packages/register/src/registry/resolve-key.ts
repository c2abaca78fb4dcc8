import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Variables } from "./key-file.ts";

/** The value of a key that is configured as itself or as `$NAME`, a variable. `whose`: what it is, for the message;
 *  no message contains a key. Fails with `CONFIG_INVALID`. */
export function resolveKey(
  written: string | null,
  whose: string,
  variables: Variables,
): Result<string | null, Failure> {
  if (written === null || !written.startsWith("$")) return ok(written);
  const name = written.slice(1);
  const value = variables(name);
  return value.ok && value.value === null ? err(missingVariable(whose, name)) : value;
}

function missingVariable(whose: string, name: string): Failure {
  return failure(
    "CONFIG_INVALID",
    `${whose} is the environment variable ${name}, which is not set`,
    `set ${name} where the command runs, or write ${name}=… into .env of the storage root (mode 0600); a thread that runs already keeps the environment it was started in`,
  );
}
