/** The promises of a `WorkflowRegistry`, as cases that any test runner can run:
 *  `for (const c of registryCases) test(c.name, () => c.run(freshRegistry()))`. */
import assert from "node:assert/strict";
import type {
  BundleVersion,
  ErrorCode,
  Failure,
  RegistryEntry,
  Result,
  WorkflowRegistry,
} from "@uncaged/workflow-protocol";

/** One promise of the port. `run` rejects when the registry does not keep it. */
export type RegistryCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh, empty registry each time. */
  run(registry: WorkflowRegistry): Promise<void>;
};

export const registryCases: readonly RegistryCase[] = [
  {
    name: "is empty at first",
    async run(registry) {
      assert.equal(did(await registry.workflows()).size, 0);
    },
  },
  {
    name: "puts each version on top of its name, and keeps those before it, newest first",
    async run(registry) {
      const previous: (string | null)[] = [];
      for (const n of [1, 2, 3]) previous.push(await added(registry, "flow", n));
      assert.deepEqual(previous, [null, version(1).hash, version(2).hash]);
      assert.equal(await added(registry, "other", 2), null);
      const history = [version(2), version(1)];
      assert.deepEqual(await entryOf(registry, "flow"), { ...version(3), history });
      assert.deepEqual(await entryOf(registry, "other"), { ...version(2), history: [] });
    },
  },
  {
    name: "changes nothing when what is registered is on top already, and keeps when it was added",
    async run(registry) {
      await added(registry, "flow", 1);
      const again = { ...version(1), timestamp: 99 };
      const registered = await registry.register({ name: "flow", version: again });
      assert.equal(did(registered).previous, version(1).hash);
      assert.deepEqual(await entryOf(registry, "flow"), { ...version(1), history: [] });
    },
  },
  {
    name: "registers other bytes with the same short hash as another version",
    async run(registry) {
      await added(registry, "flow", 1);
      const other = { ...version(1), sha256: "f".repeat(64) };
      did(await registry.register({ name: "flow", version: other }));
      assert.deepEqual(await entryOf(registry, "flow"), { ...other, history: [version(1)] });
    },
  },
  {
    name: "registers on top of what the caller has seen, and lets one of several pass that saw the same",
    async run(registry) {
      await added(registry, "flow", 1);
      const onTopOf = version(1).hash;
      const both = await Promise.all(
        [2, 3].map((n) => registry.register({ name: "flow", version: version(n), onTopOf })),
      );
      const late = both.filter(({ ok }) => !ok);
      assert.equal(late.length, 1);
      for (const each of late) refused(each, "CHANGED_MEANWHILE", "flow", onTopOf);
      assert.equal((await order(registry, "flow")).length, 2);
      const unknown = { name: "other", version: version(2), onTopOf };
      refused(await registry.register(unknown), "CHANGED_MEANWHILE", "other", onTopOf);
      assert.equal(did(await registry.workflows()).has("other"), false);
    },
  },
  {
    name: "restores the version before, and the one after that when it is asked again",
    async run(registry) {
      for (const n of [1, 2, 3]) await added(registry, "flow", n);
      const back = did(await registry.rollback({ name: "flow", hash: null }));
      assert.deepEqual([back.hash, back.previous], [version(2).hash, version(3).hash]);
      assert.deepEqual(await order(registry, "flow"), [2, 3, 1]);
      did(await registry.rollback({ name: "flow", hash: null }));
      assert.deepEqual(await order(registry, "flow"), [3, 2, 1]);
    },
  },
  {
    name: "restores the version that is named, with its own digest and time",
    async run(registry) {
      for (const n of [1, 2, 3]) await added(registry, "flow", n);
      const back = did(await registry.rollback({ name: "flow", hash: version(1).hash }));
      assert.deepEqual([back.hash, back.previous], [version(1).hash, version(3).hash]);
      const history = [version(3), version(2)];
      assert.deepEqual(await entryOf(registry, "flow"), { ...version(1), history });
      const top = did(await registry.rollback({ name: "flow", hash: version(1).hash }));
      assert.deepEqual([top.hash, top.previous], [version(1).hash, version(1).hash]);
      assert.deepEqual(await order(registry, "flow"), [1, 3, 2]);
    },
  },
  {
    name: "refuses to restore what it does not know, and says what it knows",
    async run(registry) {
      await added(registry, "flow", 1);
      const first = await registry.rollback({ name: "flow", hash: null });
      refused(first, "WORKFLOW_NO_VERSION", "flow has no earlier version");
      await added(registry, "flow", 2);
      const unknown = await registry.rollback({ name: "flow", hash: version(7).hash });
      refused(unknown, "WORKFLOW_NO_VERSION", version(7).hash, version(1).hash);
      const nobody = await registry.rollback({ name: "nobody", hash: null });
      refused(nobody, "WORKFLOW_NOT_FOUND", "nobody", "flow");
      assert.deepEqual(await order(registry, "flow"), [2, 1]);
    },
  },
  {
    name: "forgets a name with its history, and no other",
    async run(registry) {
      for (const n of [1, 2]) await added(registry, "flow", n);
      await added(registry, "other", 2);
      const { entry } = did(await registry.remove("flow"));
      assert.deepEqual(entry, { ...version(2), history: [version(1)] });
      assert.deepEqual([...did(await registry.workflows()).keys()], ["other"]);
      refused(await registry.remove("flow"), "WORKFLOW_NOT_FOUND", "flow", "other");
      assert.equal(await added(registry, "flow", 3), null);
      assert.deepEqual(await order(registry, "flow"), [3]);
    },
  },
  {
    name: "loses none of the changes that are made at once",
    async run(registry) {
      const names = Array.from({ length: 10 }, (_, n) => `flow-${n}`);
      await Promise.all(names.map((name, n) => added(registry, name, n)));
      const versions = Array.from({ length: 5 }, (_, n) => n + 20);
      await Promise.all(versions.map((n) => added(registry, "flow-0", n)));
      assert.deepEqual([...did(await registry.workflows()).keys()].sort(), names);
      assert.deepEqual((await order(registry, "flow-0")).sort(), [0, ...versions]);
    },
  },
  {
    name: "keeps names and versions that look like something else",
    async run(registry) {
      const names = ["constructor", "1e5", "null", "true", "a.b-c_1"];
      for (const name of names) await added(registry, name, 0);
      const numeric = { hash: "12345E6789012", sha256: "1".repeat(64), timestamp: 0 };
      did(await registry.register({ name: "null", version: numeric }));
      assert.deepEqual([...did(await registry.workflows()).keys()].sort(), names.sort());
      assert.deepEqual(await entryOf(registry, "null"), { ...numeric, history: [version(0)] });
    },
  },
];

/** The n-th of a series of versions; a higher n is a newer one. */
function version(n: number): BundleVersion {
  const digits = String(n).padStart(12, "0");
  return { hash: `D${digits}`, sha256: digits.padStart(64, "a"), timestamp: 1_700_000_000_000 + n };
}

/** Returns what was on top before. */
async function added(registry: WorkflowRegistry, name: string, n: number): Promise<string | null> {
  return did(await registry.register({ name, version: version(n) })).previous;
}

async function entryOf(registry: WorkflowRegistry, name: string): Promise<RegistryEntry> {
  const entry = did(await registry.workflows()).get(name);
  assert.ok(entry !== undefined, `${name} is not registered`);
  return entry;
}

/** The numbers of a name's versions, the one on top first. */
async function order(registry: WorkflowRegistry, name: string): Promise<number[]> {
  const entry = await entryOf(registry, name);
  return [entry, ...entry.history].map(({ hash }) => Number(hash.slice(1)));
}

/** The value of what succeeded. */
function did<T>(result: Result<T, Failure>): T {
  assert.ok(result.ok, result.ok ? "" : `${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** `words`: what message and hint say. */
function refused(result: Result<unknown, Failure>, code: ErrorCode, ...words: string[]): void {
  assert.ok(!result.ok, `expected ${code}, and the call succeeded`);
  const { message, hint } = result.error;
  assert.equal(result.error.code, code, message);
  for (const word of words) assert.ok(`${message} ${hint}`.includes(word), `${message} ${hint}`);
}
