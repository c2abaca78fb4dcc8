/** A role that runs again. */
import { randomUUID } from "node:crypto";
import { ANSWER, type Behaviour, ending, endsAs } from "./behaviour.ts";

export const SESSIONS: readonly Behaviour[] = [
  {
    id: "resume",
    says: "a role that runs again resumes its session, and is billed only for its own calls",
    async play(bench) {
      const first = await bench.play({ prompt: `Step one. [[shell:echo the-first]] ${ANSWER}` });
      const second = await bench.play({ prompt: `Step two. ${ANSWER}` });
      const sent = JSON.stringify(bench.model.calls().at(-1)?.messages ?? []);
      return {
        ...ending(second),
        same: first.run?.session === second.run?.session,
        remembers: sent.includes("the-first") && sent.includes("Step two"),
        firstTokens: first.run?.usage?.inputTokens ?? null,
        secondTokens: second.run?.usage?.inputTokens ?? null,
        notes: second.run?.notes?.length ?? 0,
      };
    },
    expects: {
      ...endsAs("ok"),
      same: true,
      remembers: true,
      firstTokens: 2000,
      secondTokens: 1000,
      notes: 0,
    },
  },
  {
    id: "lost-session",
    says: "a lost session is replaced by a new one, which gets the task again; a note says so",
    async play(bench) {
      const first = await bench.play({ prompt: `Step one. ${ANSWER}` });
      const lost = randomUUID();
      bench.pretendSession(lost);
      const second = await bench.play({ prompt: `Step two. ${ANSWER}` });
      const sent = JSON.stringify(bench.model.calls().at(-1)?.messages ?? []);
      return {
        ...ending(second),
        fresh: second.run?.session !== lost && second.run?.session !== first.run?.session,
        told: sent.includes("Step one") && sent.includes("Step two"),
        noted: (second.run?.notes ?? []).some((note) => note.includes("resumed")),
      };
    },
    expects: { ...endsAs("ok"), fresh: true, told: true, noted: true },
  },
];
