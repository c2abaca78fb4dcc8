/** Plays the table of behaviours by adapters with the real programs behind them, and prints it:
 *  `node scripts/agents.mjs [adapter …]`. Without arguments all, which installs more than 2 GB once a machine. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./dev/run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const REPORT = ".cache/agents-report.json";
const SUFFIX = ".test.ts";

async function main(wanted) {
  const known = readdirSync(join(root, "packages/agent-lab/e2e"))
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`no such adapter: ${unknown.join(", ")} (there are ${known.join(", ")})`);
    return 2;
  }
  const names = wanted.length === 0 ? known : wanted;
  rmSync(join(root, REPORT), { force: true });
  const code = await run({
    command: "vitest",
    args: ["run", "--project=agents"],
    cwd: root,
    env: { ...process.env, UNCAGED_LAB_AGENTS: names.join(","), UNCAGED_TEST_REPORT: REPORT },
  });
  console.log(table(JSON.parse(readFileSync(join(root, REPORT), "utf8"))));
  return code;
}

/** One line a behaviour, one column an adapter; below it, where and why programs differ. */
function table({ testResults }) {
  const cells = testResults.flatMap((file) => file.assertionResults.flatMap(cellOf));
  const agents = [...new Set(cells.map(({ agent }) => agent))].sort();
  const behaviours = [...new Set(cells.map(({ behaviour }) => behaviour))];
  const widths = [16, ...agents.map((agent) => agent.length)];
  const line = (words) => words.map((word, at) => word.padEnd(widths[at])).join("  ");
  const signs = (behaviour) =>
    agents.map(
      (agent) =>
        cells.find((each) => each.agent === agent && each.behaviour === behaviour)?.sign ?? "-",
    );
  const notes = cells.flatMap(({ agent, behaviour, because }) =>
    because === undefined ? [] : [`* ${agent}, ${behaviour}: ${because}`],
  );
  return [
    line(["", ...agents]),
    ...behaviours.map((behaviour) => line([behaviour, ...signs(behaviour)])),
    ...notes.sort(),
  ].join("\n");
}

/** A test is called `<behaviour>: <sentence> (differs: <reason>)`, in a group called as its adapter. Others,
 *  of whole threads, have no cell. */
function cellOf({ ancestorTitles, title, status }) {
  const behaviour = /^([a-z0-9-]+): /.exec(title)?.[1];
  if (behaviour === undefined) return [];
  const because = /\(differs: (.*)\)$/.exec(title)?.[1];
  const good = because === undefined ? "ok" : "ok*";
  const sign = status === "passed" ? good : "FAIL";
  return [{ agent: ancestorTitles[0], behaviour, because, sign }];
}

process.exitCode = await main(process.argv.slice(2));
