import type { ScriptOf } from "../model-server/next-mark.ts";

/** Scripts (see the model server) for the steps of a thread: `{ "2 coder": "[[json:…]]" }`. */
export type StepScripts = { readonly [step: string]: string };

const YOUR_TURN = /^# Your turn\n\nYou play the role `(\w+)` in step (\d+) of thread /m;

/** Determines from the prompt which step an agent runs. A step without a script is an error of the test. */
export function scriptByStep(scripts: StepScripts): ScriptOf {
  return (message) => {
    const [, role, round] = YOUR_TURN.exec(message) ?? [];
    if (role === undefined) return "";
    const script = scripts[`${round} ${role}`];
    if (script === undefined) return `[[text:there is no script for step ${round} ${role}]]`;
    return script;
  };
}
