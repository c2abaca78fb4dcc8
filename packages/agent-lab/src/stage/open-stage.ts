/** The built command line with one named agent, a scripted model behind it and a workflow: whole threads, run by
 *  real programs.
 *
 *  1. Everything is in one folder, `HOME` included: nothing of the user's is seen or changed.
 *  2. The bundle names no agent; `workflow.yaml` does. Which agent runs depends on the binding alone.
 *  3. `close` kills the threads that are still running, and removes the folder. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentBinding } from "../agents/agent-under-test.ts";
import { type ModelServer, startModelServer } from "../model-server/start-model-server.ts";
import { CLI, type CommandRun, runCommand } from "./run-command.ts";
import { type StepScripts, scriptByStep } from "./script-by-step.ts";

/** Folders of a stage. */
export type Place = {
  /** The storage root. */
  root: string;
  /** Working directory of threads. */
  work: string;
};

export type StageOrder = {
  /** The agent as an entry of `config.agents`, bound to the model server at `url`. */
  binding: (url: string) => AgentBinding;
  /** Left out: the script is in the prompt. */
  scripts?: (place: Place) => StepScripts;
  /** Source of the workflow, which is registered as `flow`; it imports our packages and zod. */
  workflow: string;
  /** Sources of further ones, by name. */
  others?: { readonly [name: string]: string };
  /** Further options of the agent; variables are added to its own. */
  options?: ((place: Place) => AgentBinding["options"]) | undefined;
  /** Further settings besides its entry. */
  config?: { agents?: object; providers?: object; isolation?: "none" | "sandbox" } | undefined;
  /** Further variables for every command. */
  env?: Record<string, string>;
};

export type Stage = Place & {
  model: ModelServer;
  run(args: readonly string[], input?: string): Promise<CommandRun>;
  /** The document of a command that must succeed. */
  json<T>(args: readonly string[], input?: string): Promise<T>;
  close(): Promise<void>;
};

export async function openStage(order: StageOrder): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "agent-stage-"));
  const place: Place = { root: join(folder, "root"), work: join(folder, "work") };
  const { root, work } = place;
  const [bin, flow] = [join(folder, "bin"), join(folder, "flow")];
  for (const each of [root, work, bin, flow]) await mkdir(each);
  // Agents call the command line by name.
  await symlink(CLI, join(bin, "uncaged-workflow"));
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    WORKFLOW_STORAGE_ROOT: root,
    ...order.env,
  };
  const { scripts } = order;
  const model = await startModelServer(
    scripts === undefined ? {} : { scriptOf: scriptByStep(scripts(place)) },
  );
  const run: Stage["run"] = (args, input) => runCommand(args, { cwd: work, env, input });
  const json = async <T>(args: readonly string[], input?: string): Promise<T> => {
    const { code, stdout, stderr } = await run(["--json", ...args], input);
    if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}\n${stdout}\n${stderr}`);
    const document: T = JSON.parse(stdout);
    return document;
  };
  const stage: Stage = { ...place, model, run, json, close: () => close(stage, folder) };
  try {
    await bindAgent(stage, order);
    await writeFile(join(flow, "package.json"), '{ "name": "flow", "type": "module" }\n');
    await mkdir(join(flow, "node_modules"));
    await symlink(packageFolder("zod"), join(flow, "node_modules", "zod"));
    for (const [name, source] of Object.entries({ flow: order.workflow, ...order.others })) {
      const entry = join(flow, `${name}.mjs`);
      await writeFile(entry, source);
      const built = await json<{ file: string }>(["workflow", "build", entry]);
      await json(["workflow", "add", name, built.file]);
    }
  } catch (thrown) {
    await stage.close();
    throw thrown;
  }
  return stage;
}

/** As `agent add` would, but with this repository's package. */
async function bindAgent({ root, work, model }: Stage, order: StageOrder): Promise<void> {
  const binding = order.binding(model.url);
  const target = join(root, "node_modules", binding.package);
  await mkdir(dirname(target), { recursive: true });
  await symlink(packageFolder(binding.package), target);
  const more = order.options?.({ root, work }) ?? {};
  const env = { ...binding.options.env, ...more.env };
  const played = { package: binding.package, options: { ...binding.options, ...more, env } };
  const agents = { ...order.config?.agents, played };
  const providers = { ...order.config?.providers, ...binding.providers };
  const config = { ...order.config, agents, providers, defaultAgent: "played" };
  // JSON is YAML.
  await writeFile(join(root, "workflow.yaml"), `${JSON.stringify({ config }, null, 2)}\n`);
}

const packageFolder = (name: string) =>
  dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));

async function close({ run, model }: Stage, folder: string): Promise<void> {
  const { stdout } = await run(["--json", "thread", "ps"]);
  const { threads }: { threads: { threadId: string }[] } = JSON.parse(stdout);
  for (const { threadId } of threads) await run(["thread", "kill", threadId]);
  await model.stop();
  await rm(folder, { recursive: true, force: true });
}
