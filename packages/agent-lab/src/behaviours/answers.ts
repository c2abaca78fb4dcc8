/** What an agent says and does. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ANSWER, type Behaviour, ending, endsAs, MISFIT } from "./behaviour.ts";

const LONG_PROMPT_CHARS = 2_000_000;

export const ANSWERS: readonly Behaviour[] = [
  {
    id: "answer",
    says: "an answer that fits the schema is the role's result",
    async play(bench) {
      const step = await bench.play({ prompt: `Answer. ${ANSWER}` });
      const kinds = new Set(step.events.map((event) => event.type));
      return {
        ...ending(step),
        fits: step.meta.status === "ok",
        session: step.run?.session != null,
        prompt: step.run?.prompt != null,
        started: kinds.has("started"),
        ended: kinds.has("end"),
        inputTokens: step.run?.usage?.inputTokens ?? null,
      };
    },
    expects: {
      ...endsAs("ok"),
      fits: true,
      session: true,
      prompt: true,
      started: true,
      ended: true,
      inputTokens: 1000,
    },
  },
  {
    id: "tool",
    says: "a command that the agent runs is an event while it runs and evidence afterwards",
    async play(bench) {
      // The line does not contain its output; and nothing is substituted, which some programs refuse.
      const command = "printf 'lab-%s' 42";
      const step = await bench.play({ prompt: `[[shell:${command}]] ${ANSWER}` });
      const call = step.evidence.find(({ kind }) => kind === "execute");
      const tools = step.events.filter((event) => event.type === "tool");
      return {
        ...ending(step),
        calls: step.evidence.length,
        command: call?.subject.includes(command) ?? false,
        output: call?.output.includes("lab-42") ?? false,
        ok: call?.ok ?? false,
        exitCode: call?.exitCode ?? null,
        events: tools.map((event) => event.phase).join(" "),
      };
    },
    expects: {
      ...endsAs("ok"),
      calls: 1,
      command: true,
      output: true,
      ok: true,
      exitCode: 0,
      events: "start end",
    },
  },
  {
    id: "tool-fails",
    says: "a command that fails is evidence of a failure",
    async play(bench) {
      const step = await bench.play({ prompt: `[[shell:echo no; exit 3]] ${ANSWER}` });
      const call = step.evidence.find(({ kind }) => kind === "execute");
      return { ...ending(step), exitCode: call?.exitCode ?? null, ok: call?.ok ?? null };
    },
    expects: { ...endsAs("ok"), exitCode: 3, ok: false },
  },
  {
    id: "edit",
    says: "a file that the agent writes is evidence of an edit, under its path",
    async play(bench) {
      const path = join(bench.cwd, "new.txt");
      const step = await bench.play({ prompt: `[[edit:${path}]] ${ANSWER}` });
      const call = step.evidence.find(({ kind }) => kind === "edit");
      return {
        ...ending(step),
        written: existsSync(path),
        subject: call?.subject.endsWith("new.txt") ?? false,
        ok: call?.ok ?? false,
      };
    },
    expects: { ...endsAs("ok"), written: true, subject: true, ok: true },
  },
  {
    id: "mended",
    says: "an answer that does not fit is corrected by another turn in the same session",
    async play(bench) {
      const step = await bench.play({ prompt: `Answer. ${MISFIT} ${ANSWER}` });
      return { ...ending(step), noted: (step.run?.notes ?? []).length > 0 };
    },
    expects: { ...endsAs("ok"), noted: true },
  },
  {
    id: "no-answer",
    says: "an agent that only says that it is done is asked for its answer in the same session",
    async play(bench) {
      const step = await bench.play({ prompt: `Answer. [[text:All is done.]] ${ANSWER}` });
      return ending(step);
    },
    expects: endsAs("ok"),
  },
  {
    id: "never-fits",
    says: "an answer that never fits is no result, and what it cost is recorded",
    async play(bench) {
      const step = await bench.play({ prompt: `Answer. ${MISFIT}` });
      return { ...ending(step), cost: (step.run?.usage?.inputTokens ?? 0) >= 2000 };
    },
    expects: { ...endsAs("invalid_output"), cost: true },
  },
  {
    id: "long-prompt",
    says: "a prompt of 2 MB arrives",
    async play(bench) {
      const filler = "The quick brown fox. ".repeat(LONG_PROMPT_CHARS / 21);
      return ending(await bench.play({ prompt: `${filler}\n${ANSWER}` }));
    },
    expects: endsAs("ok"),
  },
];
