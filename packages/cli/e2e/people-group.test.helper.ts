/** A group of two people and an agent, and threads of it whose agent is held up. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PersonWait, StepGroup } from "@uncaged/workflow-protocol";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Step = {
  stateHash: string;
  role: string;
  meta: Record<string, unknown>;
  outcome: string;
  group?: StepGroup;
  run: { startedAt: number };
  route: { to: string; rule: number | null; prompt: string | null };
};
export type Shown = { status: string; steps: Step[]; waits: PersonWait[] };

/** Records that it ran, and reviews. Waits while a file `hold` exists. */
const REVIEWER = `import { appendFileSync, existsSync } from "node:fs";
appendFileSync("reviewed", "x");
const look = () => {
  if (existsSync("hold")) return setTimeout(look, 20);
  console.log(JSON.stringify({ status: "ok" }));
};
look();
`;

/** `more`: extra fields of the group; `timeoutMs`: bob's; `between`: the role of the second member. */
function flow(more: string, { timeoutMs = 3_600_000, between = "reviewer" } = {}): string {
  return `
description: Two people and an agent look at it.
roles:
  reviewer:
    goal: Review it.
    output: { type: object, properties: { status: { enum: [ok] } }, required: [status], additionalProperties: false }
  alice:
    by: person
    goal: Decide.
    output: { type: object, properties: { status: { enum: [ok, bad] } }, required: [status] }
  bob:
    by: person
    goal: Decide.
    timeoutMs: ${timeoutMs}
    output: { type: object, properties: { status: { enum: [ok, bad] } }, required: [status] }
graph:
  $START:
    new:
      group: review
      ${more}
      members:
        - { role: alice, prompt: "Is it good, Alice?" }
        - { role: ${between}, prompt: "Is it good?" }
        - { role: bob, prompt: "Is it good, Bob?" }
  review:
    - { when: "$count(group.results[meta.status = 'again']) > 0", role: reviewer }
    - { role: $END }
  reviewer: { ok: $END }
result: "group.results.(role & ' ' & (outcome ? outcome : meta.status))"
`;
}

/** With the workflows `all`, which waits for every member; `any`, for two of them; and `hasty`, whose Bob is late after
 *  1.5 seconds. */
export async function openGroupCli(): Promise<Cli> {
  const cli = openCli();
  mkdirSync(cli.root, { recursive: true });
  const script = join(cli.dir, "reviewer.mjs");
  writeFileSync(script, REVIEWER);
  const options = { command: process.execPath, args: [script], output: "json" };
  const agents = { reviewer: { package: "@uncaged/workflow-agent-command", options } };
  const config = { agents, defaultAgent: "reviewer" };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  const flows = {
    all: flow(""),
    any: flow("join: { atLeast: 2 }"),
    hasty: flow("", { timeoutMs: 1_500, between: "alice" }),
  };
  for (const [name, text] of Object.entries(flows)) {
    writeFileSync(join(cli.dir, `${name}.yaml`), text);
    await cli.json(["workflow", "add", name, `${name}.yaml`]);
  }
  return cli;
}

let holds = 0;

/** A thread whose agent is held up until the file `hold` in its directory is gone. */
export async function heldThread(cli: Cli): Promise<{ threadId: string; cwd: string }> {
  holds += 1;
  const cwd = join(cli.dir, `held-${holds}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "hold"), "");
  const words = ["run", "all", "--prompt", "look", "--cwd", cwd];
  const { threadId } = await cli.json<{ threadId: string }>(words);
  while (!existsSync(join(cwd, "reviewed"))) await sleep(20);
  return { threadId, cwd };
}

export function place({ group }: Step): number {
  return group?.index ?? -1;
}
