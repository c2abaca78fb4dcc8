import { beforeAll, describe, expect, test } from "vitest";
import {
  type AgentUnderTest,
  BEHAVIOURS,
  type Bench,
  type BindAgent,
  type Difference,
  type Facts,
  installPrograms,
  openBench,
} from "../src/index.ts";

const INSTALL_LIMIT_MS = 6 * 60_000;
const BEHAVIOUR_LIMIT_MS = 300_000;

/** One row of the table: every behaviour, with this adapter and the real program behind it. */
export function describeAgent(agent: AgentUnderTest): void {
  describeRow({
    ...agent,
    async prepare() {
      const [program] = await installPrograms([agent.program]);
      if (program === undefined) throw new Error(`${agent.program} is not installed`);
      return (url, options) => agent.bind(program, url, options);
    },
  });
}

/** The same for an adapter without a program behind it. */
export function describeRow(row: {
  name: string;
  differs: AgentUnderTest["differs"];
  prepare: () => Promise<BindAgent>;
}): void {
  describe(row.name, () => {
    let bind: BindAgent | undefined;
    beforeAll(async () => {
      bind = await row.prepare();
    }, INSTALL_LIMIT_MS);

    for (const behaviour of BEHAVIOURS) {
      const differs = row.differs[behaviour.id];
      const because = differs === undefined ? "" : ` (differs: ${differs.because})`;
      test(`${behaviour.id}: ${behaviour.says}${because}`, {
        timeout: BEHAVIOUR_LIMIT_MS,
      }, async () => {
        if (bind === undefined) throw new Error(`${row.name} is not prepared`);
        const bench = await openBench(bind);
        try {
          const facts = await behaviour.play(bench);
          const expected = { ...behaviour.expects, ...differs?.expects };
          expect(steady(facts, differs), storyOf(bench)).toEqual(steady(expected, differs));
        } finally {
          await bench.close();
        }
      });
    }
  });
}

function steady(facts: Facts, differs: Difference | undefined): Facts {
  const left = Object.entries(facts).filter(([fact]) => !differs?.unsteady?.includes(fact));
  return Object.fromEntries(left);
}

/** What the steps reported, for reading a red cell. */
function storyOf(bench: Bench): string {
  return bench
    .history()
    .map(({ outcome, reason, run, durationMs, events }) => {
      const notes = (run?.notes ?? []).join("; ");
      const types = events.map((event) => event.type).join(" ");
      return `${outcome} in ${Math.round(durationMs)} ms: ${reason} [${notes}] (${types})`;
    })
    .join("\n");
}
