import assert from "node:assert/strict";
import {
  type FileMark,
  failureFrom,
  type Trigger,
  type Triggers,
  type WatchedFile,
} from "@uncaged/workflow-protocol";

/** One promise of the port. `run` rejects when the store breaks it. */
export type TriggersCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh, empty store each time. */
  run(triggers: Triggers): Promise<void>;
};

/** The contract of `Triggers`, as cases for any test runner. */
export const triggersCases: readonly TriggersCase[] = [
  {
    name: "keeps a trigger as it was given, by name, with the files that were there before",
    async run(triggers) {
      const hook = sample({
        name: "github",
        plan: { ...PLAN, source: { kind: "webhook", secret: "whsec_x", filter: null } },
      });
      const known = ["b\0", "a \ud800"].map((file) => ({ file, mark: mark(1) }));
      await triggers.add(sample({}), known);
      await triggers.add(hook, []);
      assert.deepEqual(await triggers.list(), [
        { ...hook, pausedAt: null },
        { ...sample({}), pausedAt: null },
      ]);
      assert.deepEqual(await triggers.get("inbox"), { ...sample({}), pausedAt: null });
      assert.equal(await triggers.get("none"), null);
      const files = await triggers.files("inbox");
      assert.deepEqual(
        files,
        known.toReversed().map((each) => ({ ...each, state: "known" })),
      );
      assert.deepEqual(await triggers.files("github"), []);
    },
  },
  {
    name: "refuses a name that is taken, and leaves what has it",
    async run(triggers) {
      await triggers.add(sample({}), []);
      const again = triggers.add(sample({ createdAt: 9 }), [{ file: "a", mark: mark(1) }]);
      const thrown = await again.catch((reason: unknown) => reason);
      assert.equal(failureFrom(thrown, "INTERNAL").code, "TARGET_EXISTS");
      assert.equal((await triggers.get("inbox"))?.createdAt, 1);
      assert.deepEqual(await triggers.files("inbox"), []);
    },
  },
  {
    name: "takes a file once, and another one of its name again",
    async run(triggers) {
      await triggers.add(sample({}), [{ file: "old", mark: mark(1) }]);
      const take = (file: string, n: number): Promise<boolean> =>
        triggers.take(sample({}), { file, mark: mark(n) });
      const both = await Promise.all([take("a", 1), take("a", 1)]);
      assert.deepEqual(both.toSorted(), [false, true]);
      assert.equal(await take("old", 1), false);
      assert.equal(await triggers.note("inbox", "a", { state: "started", threadId: "01J" }), true);
      assert.equal(await triggers.note("inbox", "a", { state: "failed", reason: "no" }), false);
      assert.equal(await take("a", 1), false);
      const started: WatchedFile = { file: "a", mark: mark(1), state: "started", threadId: "01J" };
      const old: WatchedFile = { file: "old", mark: mark(1), state: "known" };
      assert.deepEqual(await triggers.files("inbox"), [started, old]);
      assert.equal(await take("a", 2), true);
      const fails = { state: "failed", reason: "why\0" } as const;
      assert.equal(await triggers.note("inbox", "a", fails), true);
      assert.deepEqual((await triggers.files("inbox"))[0], { file: "a", mark: mark(2), ...fails });
      assert.equal(await triggers.note("inbox", "none", fails), false);
    },
  },
  {
    name: "takes nothing for a trigger that is paused, gone, or another one of its name",
    async run(triggers) {
      await triggers.add(sample({}), []);
      const take = (trigger = sample({})): Promise<boolean> =>
        triggers.take(trigger, { file: "a", mark: mark(1) });
      assert.equal(await triggers.pause({ name: "inbox", nowMs: 5 }), true);
      assert.equal(await triggers.pause({ name: "inbox", nowMs: 6 }), false);
      assert.equal((await triggers.get("inbox"))?.pausedAt, 5);
      assert.equal(await take(), false);
      assert.equal(await triggers.resume("inbox"), true);
      assert.equal(await triggers.resume("inbox"), false);
      assert.equal(await take(sample({ createdAt: 2 })), false);
      assert.equal(await take(), true);
      assert.equal(await triggers.remove("inbox"), true);
      assert.equal(await triggers.remove("inbox"), false);
      assert.equal(await take(), false);
      await triggers.add(sample({}), []);
      assert.deepEqual(await triggers.files("inbox"), []);
    },
  },
];

const PLAN: Trigger["plan"] = {
  source: { kind: "watch", folder: "/in" },
  start: {
    ...{
      workflow: "demo",
      prompt: "Read {{ path }}",
      cwd: "/",
      limits: null,
      title: "In",
      priority: 3,
    },
    labels: { team: "core" },
  },
};

function sample(given: Partial<Trigger>): Omit<Trigger, "pausedAt"> {
  return { name: "inbox", plan: PLAN, createdAt: 1, ...given };
}

function mark(n: number): FileMark {
  return { size: n, modifiedAt: n + 1, origin: n + 2 };
}
