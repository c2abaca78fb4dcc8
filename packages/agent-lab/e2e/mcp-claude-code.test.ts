/** The server of `uncaged-workflow mcp`, used from inside the real Claude Code by a scripted model. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectionOf, installPrograms } from "../src/index.ts";

const BIN = fileURLToPath(new URL("../../cli/bin/uncaged-workflow.mjs", import.meta.url));
const INSTALL_LIMIT_MS = 6 * 60_000;
const RUN_LIMIT_MS = 120_000;

let folder = "";
const model = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
beforeAll(() => model.start());
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-lab-mcp-"));
});
afterAll(async () => {
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

test("an agent stores a text, reads it back, and is told the code of what fails", {
  timeout: INSTALL_LIMIT_MS + RUN_LIMIT_MS,
}, async () => {
  const [claude] = await installPrograms(["claude"]);
  if (claude === undefined) throw new Error("claude is not installed");
  const put = { name: "mcp__workflow__cas_put", arguments: { text: "kept by an agent" } };
  const show = { name: "mcp__workflow__thread_show", arguments: { thread: "ZZZZZZ" } };
  model.on({ predicate: isAsked(0) }, { toolCalls: [call(put)] });
  model.on({ predicate: isAsked(1) }, (request: ChatCompletionRequest) => {
    const hash = /"hash": "(\w+)"/.exec(results(request).at(-1) ?? "")?.[1] ?? "none";
    return { toolCalls: [call({ name: "mcp__workflow__cas_get", arguments: { hash } })] };
  });
  model.on({ predicate: isAsked(2) }, { toolCalls: [call(show)] });
  let told: string[] = [];
  model.on({ predicate: isAsked(3) }, (request: ChatCompletionRequest) => {
    told = results(request);
    return { content: "It is done." };
  });
  model.on({ predicate: () => true }, { content: "A title" });

  const config = join(folder, "mcp.json");
  const env = { WORKFLOW_STORAGE_ROOT: join(folder, "root") };
  const server = { command: process.execPath, args: [BIN, "mcp"], env };
  await writeFile(config, JSON.stringify({ mcpServers: { workflow: server } }));
  const { stdout } = await execa(
    claude.path,
    ["-p", "--output-format", "json", "--mcp-config", config, "--strict-mcp-config"].concat([
      "--allowedTools",
      "mcp__workflow",
    ]),
    {
      cwd: folder,
      input: "Keep a text.",
      extendEnv: false,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CLAUDE_CONFIG_DIR: join(folder, "claude"),
        ...connectionOf("claude", model.url).env,
        // Otherwise it withholds the tools until its model searches for them.
        ENABLE_TOOL_SEARCH: "false",
      },
      timeout: RUN_LIMIT_MS,
      reject: false,
    },
  );
  expect(stdout).toContain("It is done.");
  expect(told[0]).toContain('"hash"');
  expect(told[1]).toBe("kept by an agent");
  expect(JSON.parse(told[2] ?? "")).toMatchObject({ error: { code: "THREAD_NOT_FOUND" } });
});

/** The model call after `count` results, in the conversation that has our tools. */
const isAsked =
  (count: number) =>
  (request: ChatCompletionRequest): boolean =>
    (request.tools ?? []).some((tool) => tool.function.name === "mcp__workflow__cas_put") &&
    results(request).length === count;

function results({ messages }: ChatCompletionRequest): string[] {
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ content }) =>
      typeof content === "string"
        ? content
        : (content ?? []).map((part) => part.text ?? "").join(""),
    );
}

const call = ({ name, arguments: input }: { name: string; arguments: object }) => ({
  name,
  arguments: JSON.stringify(input),
});
