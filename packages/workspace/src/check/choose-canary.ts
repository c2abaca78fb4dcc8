import {
  type CanaryFile,
  type CheckRule,
  type Failure,
  ok,
  parseJson,
  type Result,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { tryGit } from "../git/run-git.ts";
import { CANARIES, type Canary, presetOf } from "./canary-presets.ts";
import type { Scratch } from "./scratch.ts";

export type ChosenCanary = { runner: Canary } | { own: CanaryFile };

/** The rule's own, else that of the runner that its command names, by itself or in a script of the base's
 *  `package.json`. Null: none. */
export async function chooseCanary(
  scratch: Scratch,
  { rule, base }: { rule: CheckRule; base: string },
): Promise<Result<ChosenCanary | null, Failure>> {
  const { canary, command } = rule;
  if (canary === "none") return ok(null);
  if (typeof canary === "object") return ok({ own: canary });
  if (canary !== undefined) return ok({ runner: CANARIES[canary] });
  const scripts = await scriptsOf(scratch, base);
  if (!scripts.ok) return scripts;
  const named = command.flatMap((word) => scripts.value[word] ?? []);
  const preset = presetOf([...command, ...named].join(" "));
  return ok(preset === null ? null : { runner: CANARIES[preset] });
}

async function scriptsOf(
  scratch: Scratch,
  base: string,
): Promise<Result<Record<string, string>, Failure>> {
  const read = await tryGit(["cat-file", "blob", `${base}:package.json`], {
    scope: scratch.scope(),
    cwd: scratch.folder,
  });
  if (!read.ok) return read;
  const manifest = toJsonObject(parseJson(read.value.stdout));
  const scripts = toJsonObject(manifest?.scripts) ?? {};
  const texts = Object.entries(scripts).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  return ok({ ...Object.fromEntries(texts), ...shortForm(texts) });
}

/** `npm t` is `npm test`. */
function shortForm(texts: readonly (readonly [string, string])[]): Record<string, string> {
  const test = texts.find(([name]) => name === "test");
  return test === undefined ? {} : { t: test[1] };
}
