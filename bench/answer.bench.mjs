/** What it costs to find an agent's answer in what it wrote: JSON after a long report, as a short one has it, one of
 *  many objects, and in a text made to be slow. Beside it, only parsing the answer. */
import { readStructured } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";

const ROUNDS = 50;
const MIB = 1_048_576;
const ANSWER = { status: "approved", findings: ["one", "two"], score: 3 };
const SCHEMA = z.object({
  status: z.string(),
  findings: z.array(z.string()),
  score: z.number(),
});
const SAID = `Here is what I found:\n\n\`\`\`json\n${JSON.stringify(ANSWER)}\n\`\`\`\nDone.\n`;

const CASES = [
  { what: "an answer of a few lines", text: SAID },
  {
    what: "after a report of 1 MiB",
    text: `${filled("I looked at src/a.ts, and it is fine.\n")}${SAID}`,
  },
  { what: "after 1 MiB of other objects", text: `${filled('{"looked":"src/a.ts"}\n')}${SAID}` },
  { what: "after 1 MiB of open braces", text: `${filled('{"a":')}\n${SAID}` },
  { what: "after 1 MiB of open strings", text: `${filled('{"')}\n${SAID}` },
];

const answer = JSON.stringify(ANSWER);
const parsing = await timed(async () => SCHEMA.parse(JSON.parse(answer)));
const rows = [{ what: "the answer alone, parsed and checked", figure: ms(parsing) }];
for (const { what, text } of CASES) {
  const took = await timed(async () => {
    const read = await readStructured(text, SCHEMA);
    if (!read.ok || read.value.score !== 3) throw new Error(`no answer was found ${what}`);
  });
  rows.push({ what, figure: ms(took), bar: "100 ms" });
}
printTable(`finding an answer, median of ${ROUNDS}`, rows);

function filled(line) {
  return line.repeat(Math.ceil(MIB / line.length));
}

async function timed(read) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await read();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
