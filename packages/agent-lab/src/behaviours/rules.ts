/** What a role must obey. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ANSWER, type Behaviour, ending, endsAs } from "./behaviour.ts";

export const RULES: readonly Behaviour[] = [
  {
    id: "no-execute",
    says: "a command that the role may not run does not run",
    async play(bench) {
      const path = join(bench.cwd, "forbidden");
      const step = await bench.play({
        prompt: `[[shell:touch ${path}]] ${ANSWER}`,
        rules: { tools: { deny: [{ kind: "execute" }] } },
      });
      return { ...ending(step), happened: existsSync(path) };
    },
    expects: { ...endsAs("ok"), happened: false },
  },
  {
    id: "no-edit",
    says: "a role that may only read cannot write a file",
    async play(bench) {
      const path = join(bench.cwd, "forbidden.txt");
      const step = await bench.play({
        prompt: `[[edit:${path}]] ${ANSWER}`,
        rules: { tools: { allow: [{ kind: "read" }, { kind: "search" }] } },
      });
      return { ...ending(step), happened: existsSync(path) };
    },
    expects: { ...endsAs("ok"), happened: false },
  },
  {
    id: "no-storage",
    says: "a role without a policy cannot write into the engine's storage",
    async play(bench) {
      const path = join(bench.storageRoot, "workflow.yaml");
      const own = join(bench.cwd, "own.txt");
      const step = await bench.play({ prompt: `[[edit:${path}]] [[edit:${own}]] ${ANSWER}` });
      return { ...ending(step), happened: existsSync(path), own: existsSync(own) };
    },
    expects: { ...endsAs("ok"), happened: false, own: true },
  },
  {
    id: "some-execute",
    says: "a command that the role may run does run, beside one that it may not",
    async play(bench) {
      const allowed = join(bench.cwd, "allowed");
      const forbidden = join(bench.cwd, "forbidden");
      const step = await bench.play({
        prompt: `[[shell:touch ${allowed}]] [[shell:touch ${forbidden}]] ${ANSWER}`,
        rules: { tools: { allow: [{ kind: "execute", input: "^touch .*/allowed$" }] } },
      });
      return { ...ending(step), allowed: existsSync(allowed), happened: existsSync(forbidden) };
    },
    expects: { ...endsAs("ok"), allowed: true, happened: false },
  },
  {
    id: "ask-execute",
    says: "a command that a person allows does run, beside one that the person refuses",
    async play(bench) {
      const allowed = join(bench.cwd, "allowed");
      const forbidden = join(bench.cwd, "forbidden");
      const step = await bench.play({
        prompt: `[[shell:touch ${allowed}]] [[shell:touch ${forbidden}]] ${ANSWER}`,
        rules: { tools: { ask: [{ kind: "execute", command: ["touch"] }] } },
      });
      return { ...ending(step), allowed: existsSync(allowed), happened: existsSync(forbidden) };
    },
    expects: { ...endsAs("ok"), allowed: true, happened: false },
  },
  {
    id: "evidence",
    says: "a claim without the required evidence is sent back, then accepted after it was really done",
    async play(bench) {
      const step = await bench.play({
        prompt: `Answer. ${ANSWER} [[shell:echo all tests pass]] ${ANSWER}`,
        rules: { requiredEvidence: [{ name: "tests", kind: "execute", input: "all tests" }] },
      });
      return { ...ending(step), noted: step.run?.notes?.length ?? 0 };
    },
    expects: { ...endsAs("ok"), noted: 1 },
  },
];
