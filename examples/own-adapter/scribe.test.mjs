/** Runs a role with the adapter, in memory, and checks the results: `npm run build && npm test`. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { runWorkflow } from "@uncaged/workflow-testkit";
import { agent, createScribeAgent } from "workflow-agent-scribe";
import { z } from "zod";

const command = fileURLToPath(new URL("scribe.mjs", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "scribe "));
process.chdir(folder);
await writeFile("poem.txt", "the quick brown fox\n");

const counter = (rules = {}) =>
  defineRole({
    description: "Counts words",
    systemPrompt: "You count words.",
    schema: z.object({ words: z.number() }),
    extractRefs: null,
    ...rules,
  });
const workflowOf = (role) =>
  defineWorkflow({
    description: "Counts twice",
    roles: { counter: role },
    table: {
      [START]: [{ condition: "FALLBACK", role: "counter" }],
      counter: [
        { condition: { name: "once", when: "$count(steps) < 2" }, role: "counter" },
        { condition: "FALLBACK", role: END },
      ],
    },
  });
const run = (role, options = {}) =>
  runWorkflow(workflowOf(role), {
    prompt: "How many words of poem.txt are there?",
    agents: createScribeAgent({ command, ...options }),
  });

try {
  const probe = await agent.probe({ command }, { env: process.env });
  assert.equal(probe.version, "1.0.0");

  const counted = { name: "counted", kind: "execute", input: "^wc -w poem.txt$" };
  const { steps, failure } = await run(counter({ requiredEvidence: [counted] }));
  assert.equal(failure, null);
  assert.deepEqual(
    steps.map((step) => step.meta),
    [{ words: 4 }, { words: 4 }],
  );
  const [first, second] = steps.map((step) => step.run);
  assert.equal(first.agent.version, "1.0.0");
  assert.equal(first.evidence.length, 1);
  assert.ok(first.usage.inputTokens > second.usage.inputTokens, "a resumed session is told less");
  assert.equal(second.session, first.session);

  const unseen = { name: "printed", kind: "execute", input: "^lp " };
  const claimed = await run(counter({ requiredEvidence: [unseen] }), { evidenceTurns: 1 });
  assert.equal(claimed.failure?.code, "EVIDENCE_MISSING");

  const guarded = await run(counter({ tools: { deny: [{ kind: "edit" }] } }));
  assert.match(guarded.failure?.message ?? "", /a tool policy cannot be enforced/);

  const missing = await run(counter(), { command: "no-such-scribe" });
  assert.match(missing.failure?.hint ?? "", /npm install -g/);
  console.log("own-adapter: all as expected");
} finally {
  process.chdir("/");
  await rm(folder, { recursive: true });
}
