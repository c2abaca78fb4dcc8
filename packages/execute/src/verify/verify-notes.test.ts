import {
  COORDINATION,
  type CoordinationNote,
  type StateNode,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import type { Chain } from "../chain/chain.ts";
import { spawnOf, verifyNotes } from "./verify-notes.ts";

const START_HASH = "0000000000000";

/** null: a round. */
function chainOf(notes: readonly (CoordinationNote | { kind: string } | null)[]): Chain {
  const states = notes.map((note, at) => {
    const payload: StateNode["payload"] = {
      ...{ role: note === null ? "lead" : COORDINATION, meta: toJsonObject(note) ?? {} },
      ...{ start: START_HASH, content: "", ancestors: [], compact: null },
      ...{ timestamp: 0, childThread: null, digests: {}, route: null },
    };
    return { hash: `state ${at}`, node: { type: "state", payload, refs: [] } as const };
  });
  const start = {
    ...{ name: "flow", hash: "", depth: 0, parentState: null, externals: {}, digests: {} },
  };
  return { startHash: START_HASH, start: { type: "start", payload: start, refs: [] }, states };
}

const spawn = (worker = "w1"): CoordinationNote => ({
  ...{ kind: "spawn", worker, title: "t", workflow: "chore", agent: null, limits: {} },
});
const ended = (turn = 1, worker = "w1"): CoordinationNote => ({
  ...{ kind: "ended", worker, turn, status: "completed", summary: "", usage: null },
});
const told = (...notices: string[]): CoordinationNote => ({ kind: "delivered", notices });
const message: CoordinationNote = { kind: "message", worker: "w1", steps: 1 };
const turn: CoordinationNote = { kind: "turn", agent: "a", session: "s", rawUsage: null };

it("notes that follow from each other are in order, and each step begins anew", () => {
  const first = [spawn(), spawn("w2"), turn, ended(), told("w1.1"), message, ended(2)];
  const rest = [ended(1, "w2"), told("w1.2", "w2.1"), null, spawn(), ended(), told("w1.1"), null];
  expect(verifyNotes(chainOf([...first, ...rest]))).toEqual([]);
});

it.each([
  ["that is none", [{ kind: "promise" }], "its note cannot be read"],
  ["of a second start", [spawn(), spawn()], "worker w1 was started before"],
  ["of an unknown worker", [ended()], "worker w1 was not started"],
  ["of a worker of another step", [spawn(), null, ended()], "worker w1 was not started"],
  ["of a second end", [spawn(), ended(), ended()], "worker w1 had ended"],
  ["of an end in another turn", [spawn(), ended(2)], "worker w1 was in turn 1, not 2"],
  ["of a message to one that runs", [spawn(), message], "worker w1 had not ended"],
  [
    "of an end that was not noted",
    [spawn(), told("w1.1")],
    "it tells of the end w1.1, which was not noted",
  ],
  [
    "of an end that was told",
    [spawn(), ended(), told("w1.1"), told("w1.1")],
    "it tells of the end w1.1 a second time",
  ],
])("a forged note %s is found", (_what, notes, text) => {
  const hash = `state ${notes.length - 1}`;
  expect(verifyNotes(chainOf(notes))).toEqual([{ hash, message: text }]);
});

it("a worker's notes lead to the last start under its id", () => {
  const chain = chainOf([spawn(), ended(), null, spawn("w2"), spawn(), ended(), turn]);
  const spawns = chain.states.map((state) => spawnOf(chain, state));
  expect([spawns[1], spawns[5], spawns[6]]).toEqual(["state 0", "state 4", null]);
});
