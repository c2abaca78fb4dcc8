/** A thread whose roles are played only by models: one with tools, one without, both named in workflow.yaml. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const KEY = "the-key-that-is-nowhere-to-be-found";
const FLOW = `import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";
const role = (description, rules) => defineRole({ description, systemPrompt: "You are the " + description + ".", schema: z.object({ good: z.boolean() }), extractRefs: null, ...rules });
const definition = defineWorkflow({
  description: "writes until a judge likes it",
  roles: {
    writer: role("writer", { requiredEvidence: [{ name: "counted", kind: "execute", input: "^wc", after: "last_edit" }] }),
    judge: role("judge", { tools: { deny: [{ kind: "edit" }] } }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "writer" }],
    writer: [{ condition: "FALLBACK", role: "judge" }],
    judge: [
      { condition: { name: "dislikes", when: "$not(last.meta.good)" }, role: "writer", prompt: "Once more." },
      { condition: "FALLBACK", role: END },
    ],
  },
});
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent("react"), overrides: { judge: namedAgent("llm") } });
`;

let cli: Cli;
const model = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
beforeAll(async () => {
  cli = openCli();
  await model.start();
});
afterAll(async () => {
  await model.stop();
  await cli.close();
});

/** The writer writes, claims to be done, is sent back, counts, and is done; the judge accepts the second answer. */
function reply({ messages, tools = [] }: ChatCompletionRequest) {
  const asked = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => String(content));
  if (tools.length === 0)
    return { content: `{ "good": ${asked[0]?.includes("## Step 3") === true} }` };
  const last = messages.at(-1);
  const call = (name: string, input: object) => ({
    toolCalls: [{ name, arguments: JSON.stringify(input) }],
  });
  if (last?.role === "tool") return call("submit_result", { good: true });
  if (asked.length === 1) return call("write_file", { path: "poem.txt", content: "one\n" });
  if (asked.at(-1)?.includes("Once more.")) {
    return call("shell_exec", { command: "wc -c poem.txt; env | grep -c LAB_KEY" });
  }
  return call("shell_exec", { command: "wc -c poem.txt" });
}

it("plays its role: sent back without evidence, resumed in its conversation, and its key is nowhere", async () => {
  model.on({ predicate: () => true }, reply);
  const scope = join(cli.root, "node_modules", "@uncaged");
  mkdirSync(scope, { recursive: true });
  for (const name of ["agent-react", "agent-llm"]) {
    const folder = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    symlinkSync(folder, join(scope, `workflow-${name}`));
  }
  writeFileSync(
    join(cli.root, "workflow.yaml"),
    `config:
  providers:
    lab: { baseUrl: "${model.url}/v1", apiKey: $LAB_KEY }
  models: { thinker: lab/small }
  agents:
    react: { package: "@uncaged/workflow-agent-react", options: { model: lab/large } }
    llm: { package: "@uncaged/workflow-agent-llm", options: { model: thinker } }
`,
  );
  const flow = join(cli.dir, "flow");
  mkdirSync(join(flow, "node_modules"), { recursive: true });
  const zod = fileURLToPath(new URL("../node_modules/zod", import.meta.url));
  symlinkSync(zod, join(flow, "node_modules", "zod"));
  writeFileSync(join(flow, "package.json"), '{ "name": "flow", "type": "module" }\n');
  writeFileSync(join(flow, "flow.mjs"), FLOW);
  const { file } = await cli.json<{ file: string }>(["workflow", "build", join(flow, "flow.mjs")]);
  await cli.json(["workflow", "add", "poem", file]);

  const { agents } = await cli.json<{ agents: { name: string; fix: string }[] }>(["agent", "list"]);
  for (const name of ["react", "llm"]) {
    const listed = agents.find((agent) => agent.name === name);
    expect(listed).toMatchObject({ installed: true, login: "missing" });
    expect(listed?.fix).toContain("LAB_KEY");
  }

  const env = { LAB_KEY: KEY };
  const ran = await cli.run(["run", "poem", "--prompt", "Write.", "--wait", "--json"], { env });
  expect(ran.code, ran.stderr).toBe(0);
  const { threadId }: { threadId: string } = JSON.parse(ran.stdout);
  const { steps } = await cli.json<ThreadView>(["thread", "show", threadId]);
  expect(steps.map(({ role, meta }) => `${role} ${meta.good}`)).toEqual([
    "writer true",
    "judge false",
    "writer true",
    "judge true",
  ]);
  const [first, judged, second] = steps.map(({ run }) => run);
  expect(first?.agent).toMatchObject({ name: "react", version: expect.stringContaining("large") });
  expect(first?.notes?.[0]).toContain("evidence was missing: counted");
  expect(judged?.agent).toMatchObject({ name: "llm", version: expect.stringContaining("small") });
  expect(judged?.session).toBeNull();
  expect(second?.session).toBe(first?.session);
  const [counted = ""] = second?.evidence ?? [];
  const call = await cli.run(["cas", "get", "--payload", counted]);
  expect(JSON.parse(call.stdout)).toMatchObject({ output: "exit code 1\n4 poem.txt\n0\n" });
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  expect(filesUnder(cli.root).filter((path) => readFileSync(path).includes(KEY))).toEqual([]);
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
