/** Chains whose hashes are all valid, with a result that their role's rules do not accept. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeContent } from "@uncaged/workflow-cas";
import { ok, type RoleRules, START, type StepRun } from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadChain } from "../chain/chain.ts";
import { storedThreads } from "../chain/thread-source.ts";
import { addThread, route, sampleRoot } from "../provenance/sample-root.test.helper.ts";
import { NEEDS_TESTS, NO_EDITS, toolCall } from "../testing/role-rules.test.helper.ts";
import { proveThread } from "./verify-thread.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "verify-rules-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const PLAYED = "01KAJ2Z6PVX0000000000000CD";
const HELD = { policy: "held" } as const;
const TESTED = JSON.stringify(toolCall());
const EDITED = JSON.stringify(
  toolCall({ name: "Edit", kind: "edit", subject: "a.ts", exitCode: null }),
);

/** The record of a run with these calls as its evidence. */
function ran(calls: readonly string[], about: Partial<Pick<StepRun, "policy">> = {}): StepRun {
  return {
    agent: { name: "handmade", version: "1" },
    session: null,
    prompt: null,
    startedAt: 1,
    completedAt: 2,
    usage: null,
    cwd: "/",
    evidence: calls.map((text) => encodeContent(text).hash),
    ...about,
  };
}

/** What `thread verify` finds in a thread whose coder had this record and these rules. */
async function findings(
  rules: RoleRules,
  runs: readonly StepRun[],
  about: Partial<ParsedRoleOutput> = {},
): Promise<{ code: string; at: number }[]> {
  const steps = runs.map(
    (run, at): ParsedRoleOutput => ({
      role: "coder",
      meta: { left: runs.length - 1 - at },
      route:
        at === 0
          ? route(START, "coder", { prompt: "go!" })
          : route("coder", "coder", { condition: "more" }),
      run,
      ...about,
    }),
  );
  const { engine } = await sampleRoot(root, []);
  await engine.cas.putBatch([TESTED, EDITED].map((text) => encodeContent(text)));
  const thread = await addThread(engine, { threadId: PLAYED, steps, parent: null });
  const { states } = await loadChain(engine.cas, thread);
  const hashes = states.map(({ hash }) => hash);
  const source = storedThreads(engine);
  const { report } = await proveThread(
    {
      ...source,
      async bundle(hash, sha256) {
        const found = await source.bundle(hash, sha256);
        if (!found.ok) return found;
        const { descriptor } = found.value;
        const { coder, ...others } = descriptor.roles;
        if (coder === undefined) throw new Error("the sample has a coder");
        const roles = { ...others, coder: { ...coder, ...rules } };
        return ok({ ...found.value, descriptor: { ...descriptor, roles } });
      },
    },
    thread,
  );
  return report.problems.map(({ code, hash }) => ({ code, at: hashes.indexOf(hash) }));
}

it("a result with the evidence that its role requires is sound", async () => {
  expect(await findings(NEEDS_TESTS, [ran([TESTED])])).toEqual([]);
});

it.each<[string, RoleRules, StepRun, string]>([
  ["without any evidence", NEEDS_TESTS, ran([]), "EVIDENCE_MISSING"],
  ["with other calls for evidence", NEEDS_TESTS, ran([EDITED]), "EVIDENCE_MISSING"],
  ["whose adapter did not say that it held the tools", NO_EDITS, ran([]), "AGENT_FAILED"],
  ["with a call that its role may not make", NO_EDITS, ran([EDITED], HELD), "AGENT_DENIED"],
])("a stored result %s is found", async (_name, rules, run, code) => {
  expect(await findings(rules, [run])).toEqual([{ code, at: 0 }]);
});

it("an agent's step in place of a person's is found, and a person's in place of an agent's", async () => {
  const person = { user: "alice", assignees: [] };
  expect(await findings({ person: {} }, [ran([])])).toEqual([{ code: "ANSWER_REFUSED", at: 0 }]);
  expect(await findings({}, [{ ...ran([]), person }])).toEqual([{ code: "ANSWER_REFUSED", at: 0 }]);
  expect(await findings({ person: {} }, [{ ...ran([]), person }])).toEqual([]);
});

it("a call that proved an earlier step proves no later one", async () => {
  expect(await findings(NEEDS_TESTS, [ran([TESTED]), ran([TESTED])])).toEqual([
    { code: "EVIDENCE_MISSING", at: 1 },
  ]);
});

it("a stored failure of a role is not checked", async () => {
  expect(await findings(NEEDS_TESTS, [ran([])], { outcome: "timeout" })).toEqual([]);
});
