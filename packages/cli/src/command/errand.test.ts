/** What a command may do that is carried out for a step, whatever the step asks for. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  STEP_ERRAND_ENV,
  type StepErrand,
  type StepErrandReport,
} from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";
import { sampleThread } from "@uncaged/workflow-store/suite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../commands.ts";
import { parseCommandLine } from "../parse-command-line.ts";
import { allCommands } from "./command-tree.ts";
import { demandFit, demandFolder, errandOf, threadsOf } from "./errand.ts";

const THREAD = "01JABCDEFGHJKMNPQRSTVWXYZ0";
const DENIED = expect.objectContaining({
  failure: expect.objectContaining({ code: "ACCESS_DENIED" }),
});
const errand: StepErrand = { threadId: THREAD, folder: "/", cwd: "/", threads: [] };

async function fits(words: readonly string[]): Promise<boolean> {
  const line = await parseCommandLine(words);
  if (line.kind !== "call") throw new Error(`${words.join(" ")}: ${line.kind}`);
  try {
    demandFit(line.command, line.given);
    return true;
  } catch (thrown) {
    expect(thrown).toEqual(DENIED);
    return false;
  }
}

it("these commands are carried out, and no others", async () => {
  const fit = (await allCommands(COMMANDS)).filter(({ command }) => command.errand !== undefined);
  expect(fit.map(({ path }) => path.join(" ")).toSorted()).toEqual([
    ...["run", "show", "thread result", "thread run", "thread show", "thread wait", "wait"],
  ]);
});

it.each([
  ["run x --prompt y --wait --title t --label a=1 --max-steps 3 --queue --json", true],
  ["run x --idle --id-key k --cwd .", true],
  ["run x --live", true],
  ["run x --worktree", false],
  ["run x --worktree main", false],
  ["run x --dry-run --stubs stubs.yaml", false],
  ["thread show 7F3K --files 2", true],
  ["wait 7F3K 9Q2M --any", true],
  ["thread result 7F3K", true],
  ["thread kill 7F3K", false],
  ["workflow add x ./x.js", false],
  ["thread attest 7F3K", false],
])("%s: %s", async (words, may) => {
  expect(await fits(words.split(" "))).toBe(may);
});

it.each(["", "{}", "[]", "null", '{"threadId":"a","folder":"/","cwd":"/"}', "no JSON"])(
  "an errand that says not what it is allows nothing: %s",
  (text) => {
    expect(() => errandOf({ [STEP_ERRAND_ENV]: text })).toThrow(DENIED);
  },
);

it("an errand is read as the engine wrote it", () => {
  expect(errandOf({ [STEP_ERRAND_ENV]: JSON.stringify(errand) })).toEqual(errand);
  expect(errandOf({})).toBeNull();
});

describe("a thread", () => {
  let base: string;
  let root: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "uwf-errand-"));
    root = join(base, "root");
    for (const name of [
      "root/keys",
      "root/worktrees/own/src",
      "root/worktrees/own.other",
      "project",
    ])
      mkdirSync(join(base, name), { recursive: true });
    symlinkSync(join(root, "keys"), join(base, "project", "link"));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it.each([
    ["project", true],
    [".", true],
    ["root/worktrees/own", true],
    ["root/worktrees/own/src", true],
    ["root", false],
    ["root/keys", false],
    ["root/worktrees", false],
    ["root/worktrees/own.other", false],
    ["project/link", false],
  ])("in %s: %s", (place, may) => {
    const own = { ...errand, folder: join(root, "worktrees", "own") };
    const ask = (): void => demandFolder(own, root, join(base, place));
    if (may) ask();
    else expect(ask).toThrow(DENIED);
  });

  it.each([".", "root"])("works in no covered folder either when its step works in %s", (place) => {
    const own = { ...errand, folder: join(base, place) };
    demandFolder(own, root, join(base, "project"));
    for (const name of ["root", "root/keys"])
      expect(() => demandFolder(own, root, join(base, name))).toThrow(DENIED);
  });

  it("of others is not there, and what it starts is", async () => {
    const whole = await openThreadStore(root);
    const [one, two, three] = [sampleThread(1), sampleThread(2), sampleThread(3)];
    await whole.create(one, null);
    await whole.create(two, "k");
    const told: StepErrandReport[] = [];
    const seen = threadsOf(whole, { threadId: one.threadId, threads: [] }, (report) =>
      told.push(report),
    );
    expect((await seen.get(one.threadId))?.threadId).toBe(one.threadId);
    expect(await seen.get(two.threadId)).toBeNull();
    expect(await seen.match("", 5)).toEqual([one.threadId]);
    expect(await seen.match(two.threadId, 5)).toEqual([]);
    expect(await seen.startedWith("k")).toBeNull();

    // The same key in another thread is another key.
    expect(await seen.create(three, "k")).toMatchObject({ created: true });
    expect(told).toEqual([{ started: three.threadId }]);
    expect((await seen.startedWith("k"))?.threadId).toBe(three.threadId);
    expect((await whole.startedWith("k"))?.threadId).toBe(two.threadId);
    const listed = (await seen.list({})).map(({ threadId }) => threadId).toSorted();
    expect(listed).toEqual([one.threadId, three.threadId].toSorted());

    const later = threadsOf(whole, { threadId: one.threadId, threads: [three.threadId] }, () => {});
    expect(await later.match(three.threadId.slice(-6), 5)).toContain(three.threadId);
    await whole.close();
  });
});
