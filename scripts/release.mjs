/** Publishes every package: `node scripts/release.mjs [--dry-run]`. (The `release` task of dev.mjs has packed them.)
 *
 *  1. `--dry-run` publishes the same files in the same way to a registry that it starts on this machine, and then does
 *     what README.md and docs/first-workflow.md tell a newcomer to do, with packages from there, by each Node in NODES.
 *  2. A package is published after those that it needs: a release that breaks off leaves nothing that cannot be
 *     installed. Run again, it goes on where it broke off. */
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DevError } from "./dev/dev-error.mjs";
import { run } from "./dev/run.mjs";
import { ensureNode } from "./dev/toolchain.mjs";
import { localRegistry } from "./release/local-registry.mjs";
import { packedPackages } from "./release/packed-packages.mjs";
import { publish } from "./release/publish.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache");
const say = (line) => console.error(`release: ${line}`);

/** The oldest and the newest that are supported. */
const NODES = ["22.23.2", "26.10.0"];
const WALKS = [
  "packages/cli/e2e/readme.walk.test.ts",
  "packages/cli/e2e/first-workflow.walk.test.ts",
];

async function main(args) {
  const { values } = parseArgs({ args, options: { "dry-run": { type: "boolean" } } });
  const packages = packedPackages(join(root, "packages/cli/dist/packages"));
  if (values["dry-run"]) return await dryRun(packages);
  const { version } = packages[0];
  mustBeClean(version);
  // Where it came from is signed for by the machine that built it: only such a machine can say that.
  const provenance = process.env.GITHUB_ACTIONS === "true";
  publish(packages, { registry: null, provenance, say });
  git("tag", "--force", `v${version}`);
  say(
    `published ${packages.length} packages as ${version}; push the tag: git push origin v${version}`,
  );
  return 0;
}

async function dryRun(packages) {
  const registry = await localRegistry({ cache, say });
  try {
    publish(packages, { registry: registry.url, provenance: false, say });
    for (const version of NODES) {
      say(`what the README says, from that registry, by Node ${version}`);
      const code = await walk(registry.url, version);
      if (code !== 0) return code;
    }
    say(`${packages.length} packages can be released; nothing left this machine`);
    return 0;
  } finally {
    await registry.close();
  }
}

function walk(registryUrl, version) {
  const node = ensureNode({ cache, say, version });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  return run({
    command: node,
    args: [vitest, "run", ...WALKS],
    cwd: root,
    env: {
      ...process.env,
      PATH: `${dirname(node)}:${process.env.PATH}`,
      UNCAGED_TEST_REGISTRY: registryUrl,
      UNCAGED_TEST_REPORT: `.cache/release-report-${version}.json`,
    },
  });
}

function mustBeClean(version) {
  if (git("status", "--porcelain") !== "") {
    throw new DevError(
      "there are changes that are not committed",
      "Commit or stash them: what is released is what is committed.",
    );
  }
  if (version === "0.0.0") {
    throw new DevError(
      "no version was chosen",
      "Run: pnpm exec changeset version, and commit what it writes.",
    );
  }
}

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    if (!(error instanceof DevError) && !error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
    say(`error: ${error.message}`);
    if (error.hint) say(error.hint);
    process.exitCode = error.exitCode ?? 2;
  },
);
