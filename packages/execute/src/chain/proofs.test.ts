import type { RoleRules, StepWorkspace } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { checkedAgainst, isApproval, noProofs, type ProvedStep, proofAfter } from "./proofs.ts";

const check = { command: ["npm", "test"], approver: ["reviewer"] };
const RULES: { [role: string]: RoleRules } = { coder: { requiredEvidence: [{ check }] } };

const id = (digit: number): string => String(digit).repeat(40);

function files(before: number, after: number, workTree = "/shop"): StepWorkspace {
  const trees = { before: id(before), after: id(after) };
  return {
    repository: "/shop/.git",
    workTree,
    head: null,
    branch: null,
    ...trees,
    objectFormat: "sha1",
  };
}

/** What each step leaves to be said: state, tree and step that was checked. */
function told(steps: readonly (Partial<ProvedStep> & Pick<ProvedStep, "role">)[]): {
  states: (string | null)[];
  base: (workTree: string, before: number) => string;
} {
  const proofs = noProofs();
  const states = steps.map((each, at) => {
    const step = { meta: {}, round: at + 1, workspace: null, proved: null, ...each };
    const proof = proofAfter(proofs, step, (role) => isApproval(step, role, RULES));
    return proof === null ? null : `${proof.state} ${proof.tree[0]} ${proof.round}`;
  });
  const base = (workTree: string, before: number): string =>
    checkedAgainst(proofs, { workTree, before: id(before), after: id(9) }).base;
  return { states, base };
}

const coded = { role: "coder", workspace: files(1, 2), proved: "valid" } as const;
const doubtful = { ...coded, proved: "unapproved" } as const;
const approval = { role: "reviewer", meta: { approved: true }, workspace: files(2, 2) };

test("evidence is valid until the files change, by whoever, and again when they are the same", () => {
  const steps = [
    { role: "planner", workspace: files(1, 1) },
    coded,
    { role: "reviewer", workspace: files(2, 2) },
    { role: "editor", workspace: files(2, 3) },
    { role: "editor", workspace: files(3, 2) },
    // Somebody outside of the thread changed them, which the next step finds.
    { role: "reader", workspace: files(4, 4) },
    // A step without files, as of a person in no repository.
    { role: "person" },
  ];
  const valid = "valid 2 2";
  const stale = "stale 2 2";
  expect(told(steps).states).toEqual([null, valid, valid, stale, valid, stale, stale]);
});

test("an approver who saw the files makes them valid, and then they are the base", () => {
  const { states, base } = told([doubtful, approval]);
  expect(states).toEqual(["unapproved 2 1", "valid 2 1"]);
  expect(base("/shop", 2)).toBe(id(2));
  expect(told([doubtful]).base("/shop", 2)).toBe(id(1));
});

test("nobody else approves, and no approver what is no longer there", () => {
  const waits = "unapproved 2 1";
  for (const [step, left] of [
    [{ ...approval, role: "tester" }, waits],
    [{ ...approval, role: "coder" }, waits],
    [{ ...approval, meta: { approved: "yes" } }, waits],
    [{ ...approval, outcome: "timeout" }, waits],
    [{ ...approval, workspace: files(3, 2) }, waits],
    [{ ...approval, workspace: files(2, 3) }, "stale 2 1"],
    [{ ...approval, meta: { status: "approved" } }, "valid 2 1"],
  ] as const)
    expect(told([doubtful, step]).states[1], JSON.stringify(step)).toBe(left);
});

test("a fork goes on in another work tree with the same base and evidence", () => {
  const { states, base } = told([doubtful, { role: "coder", workspace: files(2, 3, "/fork") }]);
  expect(states[1]).toBe("stale 2 1");
  expect(base("/fork", 3)).toBe(id(1));
  expect(base("/elsewhere", 5)).toBe(id(5));
});
