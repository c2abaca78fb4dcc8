import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatMessage } from "@uncaged/workflow-reactor";
import { redactor } from "@uncaged/workflow-util-agent";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newSession, openSession } from "./session-file.ts";

const ID = "7f3c1f0a-52f2-4f0f-9f39-0c7e3f6d5a10";
const PROMPT: ChatMessage = { role: "user", content: "Do it." };
const ROUND: ChatMessage[] = [
  {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "c1", name: "read_file", arguments: '{"path":"a"}' }],
  },
  { role: "tool", toolCallId: "c1", content: "text" },
];

const SECRET = "hunter2hunter2";
const redact = redactor({ env: { PGPASSWORD: SECRET } });

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "agent-react-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it("keeps a conversation in these bytes, for its owner alone, and reads them back", async () => {
  const session = await newSession(home, ID, redact);
  await session.add([PROMPT]);
  await session.add(ROUND);
  const file = join(home, `${ID}.jsonl`);
  expect(await readFile(file, "utf8")).toBe(
    `\n[{"role":"user","content":"Do it."}]\n\n[{"role":"assistant","content":"","toolCalls":[{"id":"c1","name":"read_file","arguments":"{\\"path\\":\\"a\\"}"}]},{"role":"tool","toolCallId":"c1","content":"text"}]\n`,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await openSession(home, ID, redact))?.messages).toEqual([PROMPT, ...ROUND]);
});

it("leaves out a round that a crash cut short, and continues after it", async () => {
  await (await newSession(home, ID, redact)).add([PROMPT]);
  await appendFile(join(home, `${ID}.jsonl`), '\n[{"role":"assistant","con');
  const resumed = await openSession(home, ID, redact);
  expect(resumed?.messages).toEqual([PROMPT]);
  await resumed?.add(ROUND);
  expect((await openSession(home, ID, redact))?.messages).toEqual([PROMPT, ...ROUND]);
});

it("finds no session that does not exist, and takes no path for an id", async () => {
  await writeFile(join(home, "x.jsonl"), "");
  expect(await openSession(home, ID, redact)).toBeNull();
  expect(await openSession(home, "x", redact)).toBeNull();
  expect(await openSession(join(home, "no-home"), ID, redact)).toBeNull();
});

it("stores no secret, whoever said it", async () => {
  const session = await newSession(home, ID, redact);
  const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${"MIIEvQIBADANBgkq".repeat(4)}\n-----END ENCRYPTED PRIVATE KEY-----`;
  await session.add([
    { role: "user", content: `use ${SECRET}` },
    {
      role: "assistant",
      content: SECRET,
      toolCalls: [
        {
          id: "c1",
          name: "shell_exec",
          arguments: JSON.stringify({ command: `a ${SECRET}`, key }),
        },
      ],
    },
    {
      role: "tool",
      toolCallId: "c1",
      content: `${key}\n${Buffer.from(SECRET).toString("base64")}`,
    },
  ]);
  const text = await readFile(join(home, `${ID}.jsonl`), "utf8");
  expect(text).not.toMatch(/hunter|MIIEvQ|aHVudGVy/);
  const resumed = await openSession(home, ID, redact);
  expect(resumed?.messages).toHaveLength(3);
  expect(JSON.parse(text)[1].toolCalls[0].id).toBe("c1");
});
