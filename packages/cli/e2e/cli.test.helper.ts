/** A fresh storage root, and the built command to use it with. */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { fakeIo } from "../src/command/io.test.helper.ts";
import { stepsWorkflow } from "./steps-workflow.ts";

export const BIN: string = fileURLToPath(new URL("../bin/uncaged-workflow.mjs", import.meta.url));
/** Path of the built steps.mjs, relative to the folder of its sources. */
const BUILT = join("dist", "steps.esm.js");
const ZOD = fileURLToPath(new URL("../node_modules/zod", import.meta.url));

export type Ran = { code: number | null; stdout: string; stderr: string };
export type RunOptions = {
  /** What stdin holds; null: empty, as from the null device. */
  stdin?: string | Uint8Array | null;
  env?: Record<string, string>;
  /** Called once, as soon as stderr matches. */
  at?: { stderr: RegExp; act: (match: string, kill: (signal: NodeJS.Signals) => void) => unknown };
};

/** What tests look at most, between the commands that they are about. The built command's own answers to these are
 *  tested by `run`. A process for each look was a third of the time of all tests. */
const LOOKS: ReadonlySet<string> = new Set([
  ...["thread show", "thread list", "thread ps", "thread result", "thread verify"],
  ...["workflow list", "workflow show", "workspace list", "schedule list", "agent list"],
  ...["cas list", "cas show", "cas get", "cas put", "cas fsck"],
]);

type Added = { hash: string; previous: string | null };
/** A storage root that has the workflow of steps-workflow.ts as "steps", beside the folder of its sources. */
export type MadeSteps = { dir: string; root: string; added: Added };
const DESCRIPTION = "works step by step";

export type Cli = {
  /** Folder of the test: the storage root is in it, and the working directory of threads. */
  dir: string;
  root: string;
  run(args: readonly string[], opts?: RunOptions): Promise<Ran>;
  /** The JSON document of a command that must succeed. A plain look (see `LOOKS`) is answered by the sources in this
   *  process, as by `here`; whatever changes or proves something is the built command. */
  json<T = Record<string, unknown>>(args: readonly string[], opts?: RunOptions): Promise<T>;
  /** The same by the sources, in this process: for what a test prepares and looks at around the command that it tests.
   *  A process takes ten times as long. Not for commands that start runners or run bundles. */
  here<T = Record<string, unknown>>(args: readonly string[]): Promise<T>;
  /** The failure of a command that must fail, and its exit code. */
  fails(
    args: readonly string[],
    opts?: RunOptions,
  ): Promise<{ exit: number | null; code: string; message: string; hint: string }>;
  /** Builds and registers the workflow of steps-workflow.ts; `description` makes versions differ. */
  addSteps(name: string, description?: string): Promise<Added>;
  /** Ends what still runs and removes the folder. */
  close(): Promise<void>;
};

/** `madeSteps`: an earlier build to copy instead of building again; null: none. */
export function openCli({
  madeSteps = inject("madeSteps"),
}: {
  madeSteps?: MadeSteps | null;
} = {}): Cli {
  const dir = mkdtempSync(join(tmpdir(), "uwf-e2e-"));
  const root = join(dir, "root");
  const run: Cli["run"] = (args, opts = {}) => runBin(args, { ...opts, dir, root });
  const cli: Cli = {
    dir,
    root,
    run,
    async json<T>(args: readonly string[], opts?: RunOptions): Promise<T> {
      if (opts === undefined && LOOKS.has(args.slice(0, 2).join(" "))) return cli.here<T>(args);
      const { code, stdout, stderr } = await run(["--json", ...args], opts);
      if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}\n${stdout}${stderr}`);
      const document: T = JSON.parse(stdout);
      return document;
    },
    here: (args) => runHere(args, { dir, root }),
    async fails(args, opts) {
      const { code, stdout, stderr } = await run(["--json", ...args], opts);
      if (code === 0 || stdout !== "")
        throw new Error(`${args.join(" ")}: exit ${code}\n${stdout}`);
      const { error }: { error: { code: string; message: string; hint: string } } =
        JSON.parse(stderr);
      return { exit: code, ...error };
    },
    addSteps: (name, description = DESCRIPTION) =>
      madeSteps === null || description !== DESCRIPTION
        ? buildSteps(cli, { name, description })
        : copySteps(cli, { name, madeSteps }),
    async close() {
      const { threads } = await cli.here<{ threads: { threadId: string }[] }>(["thread", "ps"]);
      for (const { threadId } of threads) await run(["thread", "kill", threadId]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return cli;
}

async function copySteps(
  cli: Cli,
  { name, madeSteps }: { name: string; madeSteps: MadeSteps },
): Promise<Added> {
  const flow = join(cli.dir, "flow");
  // A second workflow in the same folder: the link to zod cannot be copied onto itself.
  if (!existsSync(flow)) cpSync(join(madeSteps.dir, "flow"), flow, { recursive: true });
  if (name !== "steps" || existsSync(cli.root))
    return cli.json(["workflow", "add", name, join(flow, BUILT)]);
  cpSync(madeSteps.root, cli.root, { recursive: true });
  return madeSteps.added;
}

async function buildSteps(
  cli: Cli,
  { name, description }: { name: string; description: string },
): Promise<Added> {
  const folder = join(cli.dir, "flow");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const zod = join(folder, "node_modules", "zod");
  rmSync(zod, { force: true });
  symlinkSync(ZOD, zod);
  writeFileSync(join(folder, "package.json"), '{ "name": "flow", "type": "module" }\n');
  writeFileSync(join(folder, "steps.mjs"), stepsWorkflow({ description }));
  await cli.json(["workflow", "build", join(folder, "steps.mjs")]);
  return cli.json(["workflow", "add", name, join(folder, BUILT)]);
}

async function runHere<T>(
  args: readonly string[],
  { dir, root }: { dir: string; root: string },
): Promise<T> {
  // Most test files never need it.
  const { runCli } = await import("../src/run-cli.ts");
  const env = { PATH: process.env.PATH, HOME: dir, WORKFLOW_STORAGE_ROOT: root };
  const io = { ...fakeIo({ env }), cwd: dir, now: Date.now };
  const code = await runCli(["--json", ...args], io);
  if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}\n${io.out()}${io.err()}`);
  const document: T = JSON.parse(io.out());
  return document;
}

function runBin(
  args: readonly string[],
  { stdin = null, env = {}, at, dir, root }: RunOptions & { dir: string; root: string },
): Promise<Ran> {
  const { promise, resolve, reject } = Promise.withResolvers<Ran>();
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: dir,
    stdio: [stdin === null ? "ignore" : "pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: dir, WORKFLOW_STORAGE_ROOT: root, ...env },
  });
  const out: Buffer[] = [];
  let stderr = "";
  let watch = at;
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    const match = watch?.stderr.exec(stderr)?.[0];
    if (watch === undefined || match === undefined) return;
    const { act } = watch;
    watch = undefined;
    Promise.resolve(act(match, (signal) => child.kill(signal))).catch(reject);
  });
  child.on("error", reject);
  child.on("close", (code) =>
    resolve({ code, stdout: Buffer.concat(out).toString("utf8"), stderr }),
  );
  child.stdin?.on("error", () => undefined);
  if (stdin !== null) child.stdin?.end(stdin);
  return promise;
}
