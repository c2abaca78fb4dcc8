/** A fan-out of 1,000 members of ours beside the same in other systems, on this machine, in this run:
 *  `npm run bench -- fan-out --peers [name …]`.
 *
 *  1. Each system is in a process of its own, and each member returns the same object of 1 KB. A time is from the start
 *     until the caller has the results of all members, joined, with whatever the system makes durable by then.
 *  2. They take turns, a round each, after a round that loads what all need. Ratios are taken within a round.
 *  3. How many members a system runs side by side is its own matter: ours and LangGraph 16, as agents would be run; DBOS
 *     and Restate have no such bound within one workflow, and run all of them at once.
 *  4. A result counts only if every member is in it, once. */
import { chmodSync } from "node:fs";
import { median } from "../parts/median.mjs";
import { ms, printTable } from "../parts/print-table.mjs";
import { withScratchFolder } from "../parts/scratch-folder.mjs";
import { installPeers } from "./install.mjs";
import { openParticipant } from "./open-participant.mjs";
import { printColumns } from "./print-columns.mjs";

const ROUNDS = 3;
const MEMBERS = 1_000;
const TAKE_PART = [
  "ours-packed",
  "ours-files",
  "restate",
  "dbos",
  "langgraph",
  "langgraph-durable",
];

async function main(wanted) {
  const names = wanted.length === 0 ? TAKE_PART : wanted;
  const unknown = names.filter((name) => !TAKE_PART.includes(name));
  if (unknown.length > 0) {
    console.error(`no such system: ${unknown} (there are ${TAKE_PART.join(", ")})`);
    return 2;
  }
  installPeers();
  await withScratchFolder(async (scratch) => {
    chmodSync(scratch, 0o711);
    const systems = [];
    try {
      for (const name of names) systems.push(await openParticipant(name, scratch));
      report(systems, await inRounds(systems));
    } finally {
      await Promise.all(systems.map(({ participant }) => participant.close()));
    }
  });
  return 0;
}

/** Milliseconds of each round, by name: until the results are there, and with what was put off until later. */
async function inRounds(systems) {
  const times = Object.fromEntries(systems.map(({ name }) => [name, []]));
  const whole = Object.fromEntries(systems.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    console.log(round === 0 ? "  warming up" : `  round ${round} of ${ROUNDS}`);
    for (const { name, participant } of systems) {
      const made = await participant.ask("fan", { members: MEMBERS });
      if (round === 0) continue;
      times[name].push(made.joinedMs);
      whole[name].push(made.joinedMs + made.restMs);
    }
  }
  return { times, whole };
}

function report(systems, { times, whole }) {
  printColumns(
    `${MEMBERS} members and their join, median of ${ROUNDS} rounds`,
    systems.map(({ name, what }) => ({
      what,
      "in all": ms(median(times[name])),
      "a member": ms(median(times[name]) / MEMBERS),
      "members a second": ((MEMBERS * 1_000) / median(times[name])).toFixed(0),
      "with what is put off": ms(median(whole[name])),
    })),
  );
  const ours = systems.filter(({ name }) => name.startsWith("ours"));
  const others = systems.filter(({ name }) => !name.startsWith("ours"));
  const rows = ours.flatMap((own) =>
    others.map((other) => ({
      what: `${own.what} : ${other.what}`,
      figure: "",
      ratio: median(times[own.name].map((time, at) => time / times[other.name][at])),
    })),
  );
  if (rows.length > 0) printTable("ours beside the others", rows);
}

process.exitCode = await main(process.argv.slice(2));
