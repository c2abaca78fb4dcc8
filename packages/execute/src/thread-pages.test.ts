import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RoleOutput, StateNode } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contextMessage, renderMessage } from "./context-message.ts";
import { type OwnedThread, ownedThread } from "./owned-thread.test.helper.ts";
import { type ContextPage, renderPage, threadPage } from "./thread-pages.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pages-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A finished thread of `count` steps with 100 characters of content each. */
async function threadOf(count: number, content = "x".repeat(100)): Promise<OwnedThread> {
  const owned = await ownedThread(root);
  await owned.execute(async function* () {
    for (let n = 1; n <= count; n++) {
      const output: RoleOutput = { role: "coder", meta: { n }, content: `${n}: ${content}` };
      yield output;
    }
    return { returnCode: 0, summary: "done" };
  });
  return owned;
}

async function page(
  owned: OwnedThread,
  opts: { budgetChars?: number; before?: number } = {},
): Promise<ContextPage> {
  const { budgetChars = 800, before = null } = opts;
  return threadPage(owned.engine, await owned.record(), { budgetChars, before });
}

const roundsOf = ({ messages }: ContextPage): number[] => messages.map(({ round }) => round);

describe("threadPage", () => {
  it("shows everything when everything fits", async () => {
    const overview = await page(await threadOf(4));
    expect(roundsOf(overview)).toEqual([1, 2, 3, 4]);
    expect(overview.omitted).toBeNull();
  });

  it("shows the first message and the last ones, and says how to load those between", async () => {
    const overview = await page(await threadOf(30));
    expect(roundsOf(overview)).toEqual([1, 27, 28, 29, 30]);
    expect(overview.omitted).toEqual({ count: 25, before: 27 });
    expect(renderPage(overview)).toContain("... 25 messages omitted (use --before 27 to load) ...");
  });

  it("pages backwards to the second message without a hole or a repetition", async () => {
    const owned = await threadOf(30);
    const seen: number[] = [];
    for (let before: number | undefined = 31; before !== undefined; ) {
      const older: ContextPage = await page(owned, { before });
      seen.unshift(...roundsOf(older));
      before = older.omitted?.before;
    }
    expect(seen).toEqual(Array.from({ length: 29 }, (_unused, index) => index + 2));
  });

  it("stays within the budget", async () => {
    const owned = await threadOf(40, "y".repeat(333));
    for (const budgetChars of [400, 1_000, 5_000, 8_000]) {
      const { messages } = await page(owned, { budgetChars });
      const bodies = messages.reduce((sum, { content }) => sum + content.length, 0);
      expect(bodies).toBeLessThanOrEqual(budgetChars);
    }
  });

  it("cuts a message that alone exceeds the budget, and names the whole", async () => {
    const overview = await page(await threadOf(3, "z".repeat(5_000)));
    expect(roundsOf(overview)).toEqual([1, 3]);
    expect(overview.messages.map(({ cut }) => cut)).toEqual([true, true]);
    expect(renderPage(overview)).toContain(
      `uncaged-workflow cas get --payload ${overview.messages[1]?.contentHash}`,
    );
  });

  it("gives an empty page before the first messages and for a thread without steps", async () => {
    expect(roundsOf(await page(await threadOf(3), { before: 2 }))).toEqual([]);
    expect(await page(await ownedThread(root))).toMatchObject({
      messages: [],
      omitted: null,
      rounds: 0,
    });
  });

  it("calls a step without a role unknown", async () => {
    const owned = await threadOf(1);
    const [message] = (await page(owned)).messages;
    if (message === undefined) throw new Error("no message");
    const payload = {
      role: "",
      meta: {},
      start: "",
      content: message.contentHash,
      ancestors: [],
      compact: null,
      timestamp: 0,
      childThread: null,
      digests: {},
      route: null,
    };
    const node: StateNode = { type: "state", payload, refs: [] };
    const unknown = await contextMessage(owned.engine.cas, node, 1);
    expect(renderMessage(unknown)).toMatch(/^\[#1 unknown\] 1970-01-01T00:00:00Z\n1: x/);
  });

  it("renders header, front matter without reserved fields, and body", async () => {
    const owned = await ownedThread(root);
    await owned.execute(async function* () {
      yield {
        role: "coder",
        meta: { type: "t", role: "r", content: "c", exit_code: 0, files: ["a", "b"] },
        content: "Analysis complete.\n",
      };
      return { returnCode: 0, summary: "done" };
    });
    const [, ...lines] = renderPage(await page(owned)).split("\n");
    expect(lines).toEqual([
      "---",
      "exit_code: 0",
      "files:",
      "  - a",
      "  - b",
      "---",
      "Analysis complete.",
    ]);
    expect(renderPage(await page(owned))).toMatch(
      /^\[#1 coder\] \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/,
    );
  });

  it("leaves out a body that only repeats the meta", async () => {
    const owned = await ownedThread(root);
    await owned.execute(async function* () {
      yield { role: "coder", meta: { n: 1 } };
      return { returnCode: 0, summary: "done" };
    });
    expect(renderPage(await page(owned))).toMatch(/---\nn: 1\n---$/);
  });
});
