/** The demo with a real agent: the same job, planned, coded and reviewed by a program that is installed here. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentEntry } from "./agents.mjs";
import {
  buildAndRegister,
  checkResult,
  cli,
  environment,
  folder,
  howToLook,
  keep,
  makeRepository,
  onStage,
  repository,
  say,
  storage,
  TASK,
  tellSteps,
  title,
  uncaged,
} from "./stage.mjs";

/** Returns the exit code: 1 when the agent cannot play or the job is not done. */
export function playAgent({ agent, mock }) {
  return onStage(async () => {
    title(mock ? `${agent}, with a scripted model behind it` : `The agent: ${agent}`);
    const model = mock ? await (await import("./mock.mjs")).startMock(agent) : null;
    try {
      if (!bind(agent, model?.options ?? {})) return 1;
      return await play();
    } finally {
      await model?.stop();
    }
  });
}

/** Names it in `workflow.yaml` and asks whether it is there and logged in. */
function bind(agent, more) {
  const entry = agentEntry(agent, storage);
  const target = join(storage, "node_modules", entry.package);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(fileURLToPath(new URL(`../../${entry.folder}`, import.meta.url)), target);
  const options = { ...entry.options, ...more };
  const config = { agents: { [agent]: { package: entry.package, options } }, defaultAgent: agent };
  // JSON is YAML.
  writeFileSync(join(storage, "workflow.yaml"), JSON.stringify({ config }));
  const [found] = uncaged("agent", "list").agents;
  const { installed, login, version, path, fix } = found;
  if (installed && login !== "missing") {
    say(`version ${version}, ${path}`);
    return true;
  }
  console.error(`${agent} is not ${installed ? "logged in" : "installed"}: ${fix}`);
  console.error("Without an agent: npm run demo");
  return false;
}

async function play() {
  title("A git repository with a bug");
  makeRepository();
  title("A workflow: the develop template");
  buildAndRegister("played.ts", []);
  title("Run it");
  const run = ["thread", "run", "develop", "--prompt", TASK, "--cwd", repository, "--live"];
  const stdio = ["ignore", "inherit", "inherit"];
  // A scripted model answers from this very process.
  await once(
    spawn(process.execPath, [cli, ...run], { cwd: folder, env: environment, stdio }),
    "close",
  );
  const [{ threadId }] = uncaged("thread", "list").threads;
  const shown = uncaged("thread", "show", threadId);
  tellSteps(shown);
  const commit = shown.steps.at(-1)?.meta.commit ?? null;
  if (shown.status !== "completed" || commit === null) {
    console.error("The job was not done; --keep leaves the thread there to look at.");
    return 1;
  }
  for (const { round, role, run } of shown.steps) {
    if (run?.usage) say(`step ${round}, ${role}: ${tokens(run.usage)}, session ${run.session}`);
  }
  checkResult(threadId);
  assert.equal(uncaged("thread", "ps").threads.length, 0);
  if (keep) howToLook(threadId);
  return 0;
}

const tokens = ({ inputTokens, outputTokens, costUsd }) =>
  `${inputTokens} + ${outputTokens} tokens${costUsd === null ? "" : `, ${costUsd.toFixed(4)} US dollars`}`;
