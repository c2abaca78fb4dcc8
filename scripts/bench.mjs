/** Runs every benchmark, one after the other: `node scripts/bench.mjs [part of a path …]`; or, which
 *  fetches half a gigabyte first, ours beside other systems: `--peers [name …]`, `fan-out --peers`, `cluster --peers`.
 *  A benchmark is a file `<name>.bench.ts` or `.mjs` in `packages/<x>/bench` or `bench`;
 *  it prints its own table and exits non-zero when what it measured is not what it should measure. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./dev/run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

async function main([first, ...rest]) {
  if (first === "--peers") return measured("bench/peers/main.mjs", rest);
  if (first === "fan-out" && rest[0] === "--peers")
    return measured("bench/peers/fan-out.mjs", rest.slice(1));
  if (first === "cluster" && rest[0] === "--peers")
    return measured("bench/peers/main.mjs", ["ours-postgres", "dbos", "restate"]);
  const filters = first === undefined ? [] : [first, ...rest];
  const files = benchmarks().filter(
    (file) => filters.length === 0 || filters.some((part) => file.includes(part)),
  );
  if (files.length === 0) {
    console.error(
      `no benchmark matches ${filters.join(" ")}; there are:\n${benchmarks().join("\n")}`,
    );
    return 2;
  }
  let worst = 0;
  for (const file of files) {
    worst = Math.max(worst, await measured(file, []));
  }
  return worst;
}

function measured(file, args) {
  console.log(`\n${file}`);
  return run({ command: process.execPath, args: [file, ...args], cwd: root });
}

function benchmarks() {
  const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}/bench`);
  return [...folders, "bench"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((file) => /\.bench\.(ts|mjs)$/.test(file))
    .sort();
}

process.exitCode = await main(process.argv.slice(2));
