/** Groups of every size in each mode: what is stored, in which order, and what the workflow gets. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  agentError,
  type GroupJoin,
  type RoleCall,
  type RoleGroup,
  type WorkflowFn,
} from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadChain } from "../chain/chain.ts";
import { ownedThread } from "../testing/leased-thread.test.helper.ts";
import { verifyGroups } from "../verify/verify-groups.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "group-modes-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const SIZES = [1, 4, 1_000];
const JOINS: readonly GroupJoin[] = ["all", "any", { atLeast: 2 }];
const ON_FAULT = ["collect", "stop"] as const;
/** Which members fail. */
const FAULTS = {
  none: () => false,
  first: (index: number) => index === 0,
  every: () => true,
};
const AT_ONCE = 16;

type Fault = keyof typeof FAULTS;
type Mode = { size: number; join: GroupJoin; onFault: "collect" | "stop"; fault: Fault };

const MODES: readonly Mode[] = SIZES.flatMap((size) =>
  JOINS.flatMap((join) =>
    ON_FAULT.flatMap((onFault) =>
      (["none", "first", "every"] as const).map((fault) => ({ size, join, onFault, fault })),
    ),
  ),
);

/** Members finish one after the other, in the order in which they began, unless they are told to end. */
function members({ size, fault }: Mode, begun: number[]): RoleCall[] {
  let turn = Promise.resolve();
  return Array.from({ length: size }, (_, index) => ({
    role: "coder",
    run: async ({ signal }) => {
      begun.push(index);
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      turn = promise;
      try {
        await before;
        await new Promise(setImmediate);
        signal.throwIfAborted();
        if (FAULTS[fault](index))
          throw agentError("timeout", { message: "slow", hint: "", run: null });
        return { role: "coder", meta: { index } };
      } finally {
        resolve();
      }
    },
  }));
}

/** How many members finish before the group has joined. */
function finishedIn({ size, join, onFault, fault }: Mode): number {
  const needed = join === "all" ? size : join === "any" ? 1 : join.atLeast;
  let successes = 0;
  for (let index = 0; index < size; index += 1) {
    if (FAULTS[fault](index)) {
      if (onFault === "stop") return index + 1;
    } else successes += 1;
    if (join !== "all" && successes >= needed) return index + 1;
  }
  return size;
}

describe("a group", () => {
  it.each(MODES)("of $size joined by $join, faults $onFault, $fault fail", async (mode) => {
    const owned = await ownedThread(join(root, String(MODES.indexOf(mode))));
    const begun: number[] = [];
    let answered: unknown[] = [];
    const { join: joined, onFault } = mode;
    const group: RoleGroup = {
      ...{ name: "g", atOnce: AT_ONCE, join: joined, onFault },
      members: members(mode, begun),
    };
    const workflow: WorkflowFn = async function* () {
      const answer = yield group;
      answered = Array.isArray(answer)
        ? answer.map(({ group: place, outcome = "ok" }) => [place?.index, outcome])
        : [];
      return { returnCode: 0, summary: "done" };
    };
    expect(await owned.execute(workflow)).toMatchObject({ status: "completed" });

    const chain = await loadChain(owned.engine.cas, await owned.record());
    expect(verifyGroups(chain)).toEqual([]);
    const stored = chain.states.flatMap(({ node: { payload } }) =>
      payload.group === undefined ? [] : [[payload.group.index, payload.outcome ?? "ok"] as const],
    );
    const finished = finishedIn(mode);
    const ends = (index: number): string => (FAULTS[mode.fault](index) ? "timeout" : "ok");
    expect(stored.slice(0, finished)).toEqual(
      Array.from({ length: finished }, (_, index) => [index, ends(index)]),
    );
    // Those under way when it joined.
    const cancelled = stored.slice(finished);
    expect(cancelled.every(([, outcome]) => outcome === "cancelled")).toBe(true);
    expect(cancelled.length).toBeLessThan(AT_ONCE);
    // Each ran once, none is missing, and none began after the group had joined.
    expect(begun).toEqual(stored.map(([index]) => index).toSorted((a, b) => a - b));
    expect(answered).toEqual(stored.toSorted(([a], [b]) => a - b));
  });
});
