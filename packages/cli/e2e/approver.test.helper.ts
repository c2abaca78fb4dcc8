/** A workflow in which a person approves a draft, and threads of it that wait for that person. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Step = {
  role: string;
  meta: Record<string, unknown>;
  outcome: string;
  run: {
    agent: { name: string };
    startedAt: number;
    completedAt: number;
    person?: { user: string | null; assignees: string[] };
  };
};
export type Shown = { status: string; steps: Step[]; suspended: Record<string, unknown> | null };

/** A draft that tells how long its prompt was. */
const WRITER = `text=$(cat)
printf '{"draft":"draft of %s"}' "\${#text}"
`;

const LATE_ENDS = "- { outcomes: [timeout], role: $END }";

/** `late`: the rule for a person who does not answer in time. */
function flow(timeoutMs: number, late: string): string {
  return `
description: A person approves a draft.
roles:
  writer:
    goal: Write a draft.
    output: { type: object, properties: { draft: { type: string } }, required: [draft], additionalProperties: false }
  approver:
    by: person
    goal: Decide whether the draft is good.
    assignees: [alice, editors]
    timeoutMs: ${timeoutMs}
    output:
      type: object
      properties:
        status: { enum: [approved, changes] }
        comment: { type: string }
      required: [status]
      additionalProperties: false
graph:
  $START: { new: writer }
  writer: { role: approver, prompt: "Is this good? {{ last.meta.draft }}" }
  approver:
    ${late}
    - { status: approved, role: $END }
    - { role: writer, prompt: "Change it: {{ last.meta.comment }}" }
`;
}

/** With the workflows `patient`; `hasty`, whose person is late after a millisecond; and `strict`, which has no rule for
 *  that. */
export async function openApproverCli(): Promise<Cli> {
  const cli = openCli();
  mkdirSync(cli.root, { recursive: true });
  writeFileSync(join(cli.dir, "writer.sh"), WRITER);
  const options = { command: "/bin/sh", args: [join(cli.dir, "writer.sh")], output: "json" };
  const agents = { writer: { package: "@uncaged/workflow-agent-command", options } };
  const config = { agents, defaultAgent: "writer" };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  writeFileSync(join(cli.dir, "patient.yaml"), flow(3_600_000, LATE_ENDS));
  writeFileSync(join(cli.dir, "hasty.yaml"), flow(1, LATE_ENDS));
  writeFileSync(join(cli.dir, "strict.yaml"), flow(1, ""));
  await cli.json(["workflow", "add", "patient", "patient.yaml"]);
  await cli.json(["workflow", "add", "hasty", "hasty.yaml"]);
  await cli.json(["workflow", "add", "strict", "strict.yaml"]);
  return cli;
}

/** A thread that waits for its approver. */
export async function asked(cli: Cli, workflow: string): Promise<string> {
  const { code, stdout } = await cli.run([
    "--json",
    "run",
    workflow,
    "--prompt",
    "a draft",
    "--wait",
  ]);
  expect(code).toBe(7);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  return threadId;
}
