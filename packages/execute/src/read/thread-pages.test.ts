import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type PendingInput,
  type RoleOutput,
  type StateNode,
  type StepRoute,
  threadFacts,
  type Wait,
  type Waits,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANSWER } from "../chain/answer-directive.ts";
import { type OwnedThread, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { contextMessage } from "./context-message.ts";
import { messageText } from "./context-text.ts";
import { type ContextPage, threadPage } from "./thread-pages.ts";

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

type Shown = ContextPage & { text: string };

async function page(
  owned: OwnedThread,
  opts: { budgetChars?: number; before?: number } = {},
): Promise<Shown> {
  const { budgetChars = 900, before = null } = opts;
  const thread = await owned.record();
  const { page, text } = await threadPage(owned.engine, thread, { budgetChars, before });
  return { ...page, text };
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
    expect(overview.text).toContain("... 25 messages omitted (use --before 27 to load) ...");
  });

  it("pages backwards to the second message without a hole or a repetition", async () => {
    const owned = await threadOf(30);
    const seen: number[] = [];
    for (let before: number | undefined = 31; before !== undefined; ) {
      const older: Shown = await page(owned, { before });
      seen.unshift(...roundsOf(older));
      before = older.omitted?.before;
    }
    expect(seen).toEqual(Array.from({ length: 29 }, (_unused, index) => index + 2));
  });

  it("stays within the budget, whatever fills it", async () => {
    const says = ["y".repeat(333), "\u202e".repeat(333), "\n\nx".repeat(99), "z".repeat(9_000)];
    for (const content of says) {
      const owned = await threadOf(12, content);
      for (const budgetChars of [400, 1_000, 5_000, 8_000]) {
        for (const before of [undefined, 9]) {
          const { text } = await page(owned, { budgetChars, ...(before && { before }) });
          expect(text.length).toBeLessThanOrEqual(budgetChars);
        }
      }
    }
  });

  it("stays within the budget though the meta and the prompt of a step are long", async () => {
    const owned = await ownedThread(root);
    await owned.execute(async function* () {
      for (let n = 0; n < 3; n++)
        yield {
          role: "coder",
          meta: { log: "line\n".repeat(5_000), ["k".repeat(3_000)]: n },
          content: "short",
          route: { ...ROUTE, prompt: "do ".repeat(5_000) },
        };
      return { returnCode: 0, summary: "done" };
    });
    const { text, messages } = await page(owned, { budgetChars: 4_000 });
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text).toContain(`# cut, the whole: uncaged-workflow cas get ${messages[0]?.stateHash}`);
  });

  it("cuts a message that alone exceeds the budget, and names the whole", async () => {
    const overview = await page(await threadOf(3, "z".repeat(5_000)));
    expect(roundsOf(overview)).toEqual([1, 3]);
    expect(overview.messages.map(({ cut }) => cut)).toEqual([true, true]);
    expect(overview.text).toContain(
      `uncaged-workflow cas get --payload ${overview.messages[1]?.contentHash}`,
    );
  });

  it("returns an empty page before the first messages, and the task of a thread without steps", async () => {
    expect(roundsOf(await page(await threadOf(3), { before: 2 }))).toEqual([]);
    const before = await page(await ownedThread(root));
    expect(before).toMatchObject({ messages: [], omitted: null, rounds: 0 });
    expect(before.start).toMatchObject({ prompt: "do it", cut: false });
    expect(before.text).toMatch(/^\[#0 start\] \S{20}\n {2}do it$/);
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
    const unknown = await contextMessage(owned.engine.cas, { hash: "", node }, 1);
    expect(messageText(unknown, 500).text).toMatch(
      /^\[#1 unknown\] 1970-01-01T00:00:00Z\n {2}1: x/,
    );
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
    const { text } = await page(owned);
    expect(text.split("\n").slice(3)).toEqual([
      expect.stringMatching(/^\[#1 coder\] \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      "---",
      "exit_code: 0",
      "files:",
      "  - a",
      "  - b",
      "---",
      "  Analysis complete.",
    ]);
  });

  it("leaves out a body that only repeats the meta", async () => {
    const owned = await ownedThread(root);
    await owned.execute(async function* () {
      yield { role: "coder", meta: { n: 1 } };
      return { returnCode: 0, summary: "done" };
    });
    expect((await page(owned)).text).toMatch(/---\nn: 1\n---$/);
  });

  it("has what each role was told before its round, and whose words they were", async () => {
    const owned = await ownedThread(root);
    const routes: StepRoute[] = [
      { ...ROUTE, prompt: "Mind the tests." },
      { ...ROUTE, condition: ANSWER, rule: null, prompt: "Use Postgres." },
      { ...ROUTE, prompt: "Again, but shorter.", promptFrom: "person" },
      { ...ROUTE, prompt: null },
    ];
    await owned.execute(async function* () {
      for (const route of routes) yield { role: "coder", meta: {}, content: "said", route };
      return { returnCode: 0, summary: "done" };
    });
    const { text, messages } = await page(owned);
    expect(text.replaceAll(/(?<=\] )\S{20}$/gm, "<time>").split("\n\n")).toEqual([
      "[#0 start] <time>\n  do it",
      "[prompt for #1 coder]\n  Mind the tests.",
      "[#1 coder] <time>\n  said",
      "[answer for #2 coder]\n  Use Postgres.",
      "[#2 coder] <time>\n  said",
      "[prompt of a person for #3 coder]\n  Again, but shorter.",
      "[#3 coder] <time>\n  said",
      "[#4 coder] <time>\n  said",
    ]);
    expect(messages.map(({ prompt }) => prompt?.kind)).toEqual([
      "edge",
      "answer",
      "person",
      undefined,
    ]);
    const before = await page(owned, { before: 4 });
    expect(before.text).toMatch(/^\[answer for #2 coder\]/);
    expect(before).toMatchObject({ start: null, waiting: [] });
  });

  it("ends with the open question, and with what a person said to the next role", async () => {
    const owned = await threadOf(1, "asks");
    const thread = await owned.record();
    const unsteered = { ...threadFacts(thread), pendingInput: null, replaced: null, signals: [] };
    const shown = async (more: Standing): Promise<string> => {
      const opts = { budgetChars: 900, before: null };
      return (await threadPage(owned.engine, { ...unsteered, ...more }, opts)).text;
    };
    const asks = (wait: Wait): Promise<string> => shown({ status: "suspended", waits: [wait] });
    const said = (pendingInput: PendingInput): Promise<string> =>
      shown({ status: "idle", pendingInput });
    const question = { role: "coder", message: "Which database?" };
    expect(await asks(question)).toMatch(/\n\n\[question after #1 coder\]\n {2}Which data/);
    expect(await asks({ ...question, kind: "limit" })).toContain("[stopped at a");
    expect(await said({ kind: "answer", role: "coder", text: "Postgres" })).toMatch(
      /\n\n\[answer for #2 coder\]\n {2}Postgres$/,
    );
    expect(await said({ kind: "prompt", text: "Now test it." })).toMatch(
      /\n\n\[prompt of a person for #2\]\n {2}Now test it\.$/,
    );
  });
});

type Standing =
  | { status: "idle"; pendingInput: PendingInput }
  | { status: "suspended"; waits: Waits };

const ROUTE: StepRoute = {
  from: "coder",
  to: "coder",
  condition: "again",
  rule: 0,
  prompt: null,
};
