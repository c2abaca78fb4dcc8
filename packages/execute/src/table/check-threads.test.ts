import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DescriptorEdge,
  END,
  START,
  SUSPEND,
  type ThreadFacts,
  type ThreadRecord,
  type ThreadSteering,
  threadFacts,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANSWER } from "../chain/answer-directive.ts";
import { POKE } from "../chain/poke-route.ts";
import { ENDING, route, STEPS, sampleRoot } from "../provenance/sample-root.test.helper.ts";
import { edge } from "../testing/edge.test.helper.ts";
import { checkThread, type ThreadCheck } from "./check-threads.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Asked = {
  steps: readonly ParsedRoleOutput[];
  edges: readonly DescriptorEdge[];
  roles?: WorkflowDescriptor["roles"];
  /** The thread's status, if not idle. */
  standing?: (thread: ThreadFacts & ThreadSteering) => ThreadRecord;
};

async function checked({ steps, edges, roles, standing }: Asked): Promise<ThreadCheck> {
  const root = await sampleRoot(folder, steps);
  const role = { description: "", systemPrompt: "", schema: {} };
  const descriptor = {
    description: "",
    roles: roles ?? { coder: role, tester: role },
    graph: { edges },
  };
  const unsteered = {
    ...threadFacts(root.thread),
    ...{ pendingInput: null, replaced: null, signals: [] },
  };
  return checkThread(root.engine.cas, standing?.(unsteered) ?? root.thread, descriptor);
}

const brief = ({ routes }: ThreadCheck): string[] =>
  routes.map(({ round, from, recorded, now }) => `${round} ${from}: ${recorded} → ${now}`);

const SAME = [edge(START, "coder"), edge("coder", "tester")];

describe("a thread that is asked about with another version", () => {
  it("differs where it would have ended, continued or gone elsewhere", async () => {
    const steps = [...STEPS, ENDING];
    expect((await checked({ steps, edges: SAME })).compatible).toBe(true);
    const on = [...SAME, edge("tester", "coder")];
    expect(brief(await checked({ steps, edges: on }))).toEqual(["3 tester: __end__ → coder"]);
    const away = [edge(START, "tester"), edge("coder", END)];
    expect(brief(await checked({ steps, edges: away }))).toEqual([
      "1 __start__: coder → tester",
      "2 coder: tester → __end__",
    ]);
  });

  it("differs where the rules fail on its steps, with their cause", async () => {
    const edges = [
      edge(START, "coder"),
      edge("coder", "tester", { when: "last.meta.left.x + 'a'" }),
    ];
    const { routes, compatible } = await checked({ steps: STEPS, edges });
    expect(compatible).toBe(false);
    expect(routes).toMatchObject([{ round: 2, now: null, rule: null }]);
    expect(routes[0]?.because).toContain("table.coder[0]");
  });

  it("that has not continued says nothing about where it will go", async () => {
    const edges = [...SAME, edge("tester", "coder")];
    expect((await checked({ steps: STEPS, edges })).compatible).toBe(true);
  });

  it("that waits for an answer, or has got one, waits with the other version too", async () => {
    const asks = [...SAME, edge("tester", SUSPEND)];
    const question = { role: "tester", message: "?" };
    const pendingInput = { kind: "answer", role: "tester", text: "!" } as const;
    const standings: NonNullable<Asked["standing"]>[] = [
      (thread) => ({ ...thread, status: "suspended", waits: [question] }),
      (thread) => ({ ...thread, status: "idle", pendingInput }),
      (thread) => ({ ...thread, status: "paused", pendingInput }),
    ];
    for (const standing of standings) {
      expect((await checked({ steps: STEPS, edges: asks, standing })).compatible).toBe(true);
      expect(brief(await checked({ steps: STEPS, edges: SAME, standing }))).toEqual([
        "3 tester: __suspend__ → __end__",
      ]);
    }
    const atLimit: NonNullable<Asked["standing"]> = (thread) => ({
      ...{ ...thread, status: "suspended", waits: [{ ...question, kind: "limit" }] },
    });
    expect((await checked({ steps: STEPS, edges: SAME, standing: atLimit })).compatible).toBe(true);
  });

  it("that was answered was asked by the other version too", async () => {
    const answered = route("coder", "coder", { condition: ANSWER, rule: null, prompt: "yes" });
    const steps = [STEPS[0], { role: "coder", meta: { left: 0 }, route: answered }].flatMap(
      (step) => (step === undefined ? [] : [step]),
    );
    const asks = [edge(START, "coder"), edge("coder", SUSPEND)];
    expect((await checked({ steps, edges: asks })).compatible).toBe(true);
    expect(brief(await checked({ steps, edges: SAME }))).toEqual(["2 coder: __suspend__ → tester"]);
  });

  it("is asked about a poked step as about the one that it replaced", async () => {
    const poked = route(START, "coder", { prompt: "better", promptFrom: "person" });
    const steps = [{ role: "coder", meta: {}, route: poked }];
    expect((await checked({ steps, edges: SAME })).compatible).toBe(true);
    expect((await checked({ steps, edges: [edge(START, "tester")] })).compatible).toBe(false);
    const lone = route("coder", "coder", { condition: POKE, rule: null });
    const handMade = [{ role: "coder", meta: {}, route: lone }];
    expect((await checked({ steps: handMade, edges: [] })).compatible).toBe(true);
  });

  it("differs where a rule for a failure or a limit leads elsewhere", async () => {
    const late = { outcome: "timeout", meta: { outcome: "timeout", reason: "slow" } } as const;
    const steps = [
      { role: "coder", ...late, route: route(START, "coder") },
      { role: "tester", meta: {}, route: route("coder", "tester") },
      { role: "coder", meta: {}, route: route("tester", "coder", { outcome: "limit" }) },
    ];
    const kept = [
      edge(START, "coder"),
      edge("coder", "tester", { outcomes: ["timeout"] }),
      edge("tester", "coder", { outcomes: ["limit"] }),
    ];
    expect(await checked({ steps, edges: kept })).toMatchObject({ compatible: true, metas: [] });
    expect(brief(await checked({ steps, edges: SAME }))).toEqual([
      "2 coder: tester → __end__",
      "3 tester: coder → __end__",
    ]);
  });

  it("differs in roles that are gone and results that do not fit", async () => {
    const properties = { left: { type: "integer", minimum: 1 }, right: { type: "string" } };
    const schema = { type: "object", properties, required: ["left", "right"] };
    const roles = { coder: { description: "", systemPrompt: "", schema } };
    const check = await checked({ steps: STEPS, edges: SAME, roles });
    expect(check.removedRoles).toEqual([{ round: 2, role: "tester" }]);
    expect(check.metas.map(({ round, role, path }) => [round, role, path])).toEqual([
      [1, "coder", "left"],
      [1, "coder", "right"],
    ]);
    expect(check.compatible).toBe(false);
  });
});
