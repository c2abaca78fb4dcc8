import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { runningHost } from "@uncaged/workflow-execute";
import { undelivered } from "@uncaged/workflow-host";
import {
  type ListenerSettings,
  readSettings,
  resolveKey,
  variablesOf,
} from "@uncaged/workflow-register";
import { hasIndex } from "@uncaged/workflow-util";
import { withEngine } from "../command/with-engine.ts";
import { undeliveredText } from "../host/status.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, doubtful, fine, wrong } from "./check.ts";

const NAME = "notify";

/** Checks that listeners can be told, and are. */
export async function checkNotify(context: DoctorContext): Promise<Check> {
  const { root, env, nowMs } = context;
  const settings = await readSettings(root);
  // Another check reports an unreadable configuration.
  if (!settings.ok || settings.value.notify.size === 0)
    return fine(NAME, "no listeners are configured");
  for (const [listener, { to }] of settings.value.notify) {
    const fault = faultOf(to, context);
    const name = printableLine(listener, 60);
    if (fault !== null) return wrong(NAME, `${name}: ${fault.message}`, fault.fix);
  }
  const pending = hasIndex(root) ? await withEngine({ env }, undelivered) : [];
  const untold = pending.map((each) => undeliveredText(each, nowMs)).join("; ");
  if (runningHost(root) === null) {
    const what = `only a host tells listeners, and none is up${untold && `; ${untold}`}`;
    return doubtful(NAME, what, "uncaged-workflow up");
  }
  if (pending.some(({ fault }) => fault !== null))
    return doubtful(NAME, untold, "correct config.notify in workflow.yaml, or remove the listener");
  return fine(
    NAME,
    [...settings.value.notify.keys()].map((name) => printableLine(name, 60)).join(", "),
  );
}

function faultOf(
  to: ListenerSettings["to"],
  { root, env }: DoctorContext,
): { message: string; fix: string } | null {
  if (to.kind === "webhook") {
    const secret = resolveKey(to.secret, "the secret", variablesOf(root, env));
    return secret.ok ? null : { message: secret.error.message, fix: secret.error.hint };
  }
  const [program] = to.words;
  if (isProgram(program, { root, path: env.PATH ?? "" })) return null;
  const name = printableLine(program, 100);
  return { message: `there is no program ${name}`, fix: "correct config.notify in workflow.yaml" };
}

/** As the host would find it: a name in `PATH`, a path from the storage root. */
function isProgram(program: string, { root, path }: { root: string; path: string }): boolean {
  const places = program.includes("/")
    ? [resolve(root, program)]
    : path.split(delimiter).map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}
