import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DevError } from "../dev/dev-error.mjs";
import { npmCommand } from "../dev/npm.mjs";

const VERSION = "6.10.4";
const READY_WITHIN_MS = 60_000;

/** A registry on this machine that takes our packages from anybody and has all others from npm's own. What was
 *  published goes with it. */
export async function localRegistry({ cache, say }) {
  const program = ensureVerdaccio({ cache, say });
  const folder = mkdtempSync(join(tmpdir(), "uwf-registry-"));
  const url = `http://127.0.0.1:${await freePort()}/`;
  const config = join(folder, "config.yaml");
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(configuration(folder)));
  const server = spawn(process.execPath, [program, "--config", config, "--listen", url], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const close = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answers(url, server);
  } catch (cause) {
    await close();
    throw new DevError(`the registry did not start: ${cause.message}\n${said}`, "");
  }
  return { url, close };
}

function configuration(folder) {
  const everybody = { access: "$all", publish: "$all", unpublish: "$all" };
  return {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd"), max_users: -1 } },
    uplinks: { npm: { url: npm(["config", "get", "registry"]).trim(), cache: false } },
    packages: { "@uncaged/*": everybody, "**": { access: "$all", proxy: "npm" } },
    log: { type: "stdout", format: "pretty", level: "error" },
    max_body_size: "100mb",
  };
}

async function answers(url, server) {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until) {
    if (server.exitCode !== null) throw new Error(`it ended with code ${server.exitCode}`);
    const answer = await fetch(`${url}-/ping`).catch(() => null);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`no answer within ${READY_WITHIN_MS / 1000} s`);
}

/** Fetched once, into a folder that is published by one rename. */
function ensureVerdaccio({ cache, say }) {
  const home = join(cache, `verdaccio-${VERSION}`);
  const program = join(home, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return program;
  say(`fetching verdaccio ${VERSION} (once, into .cache/)`);
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(`${home}.`);
  // One of its parts asks for a tag of node-fetch that not every mirror of the registry has.
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERSION },
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  try {
    npm(["install", `--prefix=${folder}`, "--ignore-scripts", "--no-audit", "--no-fund"], folder);
    renameSync(folder, home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}

function npm(args, cwd = process.cwd()) {
  const { command, args: before, shell } = npmCommand();
  const options = { encoding: "utf8", shell, cwd };
  const { status, stdout, stderr } = spawnSync(command, [...before, ...args], options);
  if (status === 0) return stdout;
  throw new DevError(
    `npm ${args[0]} failed:\n${stderr?.trim()}`,
    "Is the npm registry reachable (`npm ping`)?",
  );
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
