/** Whatever is registered, rolled back and removed, in whatever order: the registry in `workflow.yaml` answers as one
 *  in memory does, forgets no version, and a refused change leaves the file as it was. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundleVersion, Failure, Result, WorkflowRegistry } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratchFolder, scratchRegistry } from "../scratch.test.helper.ts";
import { memoryRegistry } from "./memory-registry.ts";

type Answer = Result<object, Failure>;
type Call = {
  shown: string;
  forgets: boolean;
  run: (registry: WorkflowRegistry) => Promise<Answer>;
};

// Few values each, so that calls meet the same names and versions; YAML would take some of them for something else.
const name = fc.constantFrom("flow", "flow", "null", "1e5");
const hash = fc.constantFrom("D000000000001", "12345E6789012", "0000000000000");
const version: fc.Arbitrary<BundleVersion> = fc.record({
  hash,
  sha256: fc.constantFrom("a".repeat(64), "1".repeat(64)),
  timestamp: fc.constantFrom(0, 1_700_000_000_000),
});
const register = fc.record({ name, version }).map((by): Call => {
  return { shown: `register ${JSON.stringify(by)}`, forgets: false, run: (to) => to.register(by) };
});
const rollback = fc.record({ name, hash: fc.option(hash) }).map((by): Call => {
  return { shown: `rollback ${JSON.stringify(by)}`, forgets: false, run: (to) => to.rollback(by) };
});
const remove = name.map((by): Call => {
  return { shown: `remove ${by}`, forgets: true, run: (to) => to.remove(by) };
});

test("the registry in a file and the one in memory agree, whatever is called in whatever order", async () => {
  const calls = fc.array(fc.oneof(register, register, register, rollback, rollback, remove), {
    minLength: 10,
    maxLength: 30,
  });
  const property = fc.asyncProperty(calls, async (each) => {
    let clean = (): void => undefined;
    const root = scratchFolder((over) => {
      clean = over;
    });
    try {
      const [file, memory] = [scratchRegistry(root), memoryRegistry()];
      for (const { shown, forgets, run } of each) {
        const [bytes, before] = [bytesIn(root), await versionsIn(file)];
        const answer = await run(file);
        expect(withoutNotes(answer), shown).toEqual(withoutNotes(await run(memory)));
        expect(await file.workflows(), shown).toEqual(await memory.workflows());
        if (!answer.ok) expect(bytesIn(root), shown).toBe(bytes);
        if (!forgets) expect(await versionsIn(file), shown).toEqual(expect.arrayContaining(before));
      }
    } finally {
      clean();
    }
  });
  await fc.assert(property, { numRuns: 40 });
}, 60_000);

function withoutNotes(answer: Answer): unknown {
  return answer.ok ? { ...answer.value, notes: null } : answer.error;
}

/** All versions that are known by a name, current and earlier ones. */
async function versionsIn(registry: WorkflowRegistry): Promise<string[]> {
  const known = await registry.workflows();
  if (!known.ok) throw new Error(known.error.message);
  return [...known.value].flatMap(([of, { history, ...top }]) =>
    [top, ...history].map((each) => `${of} ${each.hash} ${each.sha256}`),
  );
}

function bytesIn(root: string): string {
  try {
    return readFileSync(join(root, "workflow.yaml"), "utf8");
  } catch {
    return "";
  }
}
