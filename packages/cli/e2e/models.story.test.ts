/** The models of the engine in whole threads, with the built command and a real server on loopback. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatCompletionRequest, FixtureResponse } from "@copilotkit/aimock";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { calls, KEY, type ModelServer, openModelServer, said } from "./model-server.test.helper.ts";

const ZOD = fileURLToPath(new URL("../node_modules/zod", import.meta.url));

let cli: Cli;
let server: ModelServer | undefined;
beforeEach(() => {
  cli = openCli();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await cli.close();
});

const env = { MODEL_KEY: KEY };

async function serve(
  answer: (request: ChatCompletionRequest, before: number) => FixtureResponse,
): Promise<void> {
  server = await openModelServer(answer);
}

/** A configuration whose models use this server, with the key in the environment. */
function configure(uses: readonly string[], more: Record<string, unknown> = {}): void {
  const baseUrl = server?.baseUrl ?? "http://127.0.0.1:1/v1";
  const providers = { mock: { baseUrl, apiKey: "$MODEL_KEY" } };
  const models = Object.fromEntries(uses.map((use) => [use, `mock/${use}`]));
  mkdirSync(cli.root, { recursive: true });
  writeFileSync(
    join(cli.root, "workflow.yaml"),
    JSON.stringify({ config: { providers, models, ...more } }),
    {
      mode: 0o600,
    },
  );
}

/** A workflow whose agent answers in prose and refers to a blob with its verdict. */
async function addProse(): Promise<void> {
  const folder = join(cli.dir, "prose");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(ZOD, join(folder, "node_modules/zod"));
  writeFileSync(join(folder, "package.json"), '{ "name": "prose", "type": "module" }\n');
  writeFileSync(
    join(folder, "prose.mjs"),
    `import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { z } from "zod";
const definition = defineWorkflow({
  description: "a reviewer who writes prose",
  roles: { reviewer: defineRole({ description: "reviews", systemPrompt: "Review.", schema: z.object({ approved: z.boolean(), why: z.string().max(80) }), extractRefs: null }) },
  table: { [START]: [{ condition: "FALLBACK", role: "reviewer" }], reviewer: [{ condition: "FALLBACK", role: END }] },
});
const adapter = (_prompt, schema) => async (_ctx, runtime) => {
  const note = await runtime.cas.put("I approve: it is short and right.");
  const content = "My verdict is in blob " + note + ".";
  return { meta: await runtime.extract(schema, await runtime.cas.put(content)), content, childThread: null };
};
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter, overrides: null });
`,
  );
  const { file } = await cli.json<{ file: string }>([
    "workflow",
    "build",
    join(folder, "prose.mjs"),
  ]);
  await cli.json(["workflow", "add", "prose", file]);
}

type Ended = { threadId: string; status: string; returnCode: number; summary: string };

async function run(args: readonly string[]): Promise<Ended> {
  const { stdout } = await cli.run(["--json", "thread", "run", ...args, "--wait"], { env });
  const ended: Ended = JSON.parse(stdout);
  return ended;
}

/** The files of the storage root that contain the key. */
function filesWithKey(): string[] {
  return readdirSync(cli.root, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(cli.root, name);
    return statSync(path).isFile() && readFileSync(path, "latin1").includes(KEY);
  });
}

it("a model turns prose into the role's meta, reading the blob that the prose names", async () => {
  await serve((request, before) => {
    if (before > 0) return calls("give_result", { approved: true, why: "short and right" });
    const [, hash = ""] = /My verdict is in blob ([0-9A-Z]{13})/.exec(said(request)) ?? [];
    return calls("cas_get", { hash });
  });
  configure(["extract"]);
  await addProse();
  const { threadId, status } = await run(["prose", "--prompt", "review it"]);
  expect(status).toBe("completed");
  const { steps } = await cli.json<{ steps: { meta: unknown }[] }>(["thread", "show", threadId]);
  expect(steps[0]?.meta).toEqual({ approved: true, why: "short and right" });
  expect(JSON.stringify(server?.requests[1]?.messages)).toContain(
    "I approve: it is short and right.",
  );
  const live = await cli.run(["thread", "live", threadId, "--debug"]);
  expect(live.stdout).toContain('"type":"usage"');
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

it("a thread whose prose no model can turn into meta fails with the reason, and the key leaks nowhere", async () => {
  await serve(() => ({ error: { message: `Incorrect API key provided: ${KEY}` }, status: 401 }));
  configure(["extract"]);
  await addProse();
  const { threadId, status, summary } = await run(["prose", "--prompt", "review it"]);
  expect(status).toBe("failed");
  expect(summary).toMatch(/INVALID_OUTPUT: .*HTTP 401.*\[key\]/);
  const shown = await cli.run(["thread", "live", threadId, "--debug"]);
  expect(shown.stdout + shown.stderr).not.toContain(KEY);
  expect(filesWithKey()).toEqual([]);
});

it("the supervisor checks after every second step and ends a thread that runs in circles", async () => {
  await serve((request) =>
    said(request).includes("4 steps were made")
      ? calls("decide", { decision: "kill", reason: "it repeats itself" })
      : calls("decide", { decision: "continue", reason: "fine so far" }),
  );
  configure(["supervisor"], { supervisorInterval: 2 });
  await cli.addSteps("work");
  const ended = await run(["work", "--prompt", '{"steps":9}']);
  expect(ended).toMatchObject({
    status: "aborted",
    returnCode: 130,
    summary: "supervisor: it repeats itself",
  });
  expect(server?.requests).toHaveLength(2);
  const { steps } = await cli.json<{ steps: unknown[] }>(["thread", "show", ended.threadId]);
  expect(steps).toHaveLength(4);
  const live = await cli.run(["thread", "live", ended.threadId]);
  expect(live.stdout).toContain("supervisor: continue: fine so far");
  expect(live.stdout).toContain("supervisor: kill: it repeats itself");
  expect(await cli.json(["thread", "verify", ended.threadId])).toMatchObject({ ok: true });
});

it("the supervisor counts the steps of the thread, not of one process", async () => {
  await serve(() => calls("decide", { decision: "kill", reason: "enough" }));
  configure(["supervisor"], { supervisorInterval: 3 });
  await cli.addSteps("work");
  const prompt = '{"steps":9}';
  const { threadId } = await cli.json<{ threadId: string }>([
    "thread",
    "run",
    "work",
    "--prompt",
    prompt,
    "--idle",
  ]);
  for (const step of [1, 2, 3]) {
    const { steps } = await cli.json<{ steps: unknown[] }>(["thread", "exec", threadId], { env });
    expect([step, steps.length, server?.requests.length]).toEqual([step, 1, 0]);
  }
  const { stdout } = await cli.run(["--json", "thread", "exec", threadId], { env });
  expect(JSON.parse(stdout)).toMatchObject({ status: "aborted" });
});

it("a supervisor that cannot be reached kills nothing, and this is reported", async () => {
  configure(["supervisor"], { supervisorInterval: 2 });
  await cli.addSteps("work");
  const ended = await run(["work", "--prompt", '{"steps":2}']);
  expect(ended.status).toBe("completed");
  const live = await cli.run(["thread", "live", ended.threadId]);
  expect(live.stdout).toContain("supervisor: could not be asked: crashed: fetch failed");
  const log = readFileSync(join(cli.root, "logs", `${ended.threadId}.info.jsonl`), "utf8");
  expect(log).toContain("supervisor: could not be asked");
});

it("a summarizer writes the summary; when it fails, the workflow's own is kept", async () => {
  let failing = false;
  await serve(() =>
    failing
      ? { error: { message: "no" }, status: 400 }
      : { content: "Two steps were made and checked." },
  );
  configure(["summarizer"]);
  await cli.addSteps("work");
  expect(await run(["work"])).toMatchObject({
    status: "completed",
    summary: "Two steps were made and checked.",
  });
  failing = true;
  const ended = await run(["work"]);
  expect(ended.status).toBe("completed");
  expect(ended.summary).not.toContain("Two steps were made");
  const live = await cli.run(["thread", "live", ended.threadId]);
  expect(live.stdout).toContain("summarizer: returned no summary: crashed: HTTP 400");
});
