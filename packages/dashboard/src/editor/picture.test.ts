import { graphOf as outlineOf } from "@uncaged/workflow-editor";
import { END, START, SUSPEND } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { graphOf } from "../graph/model.ts";
import { drawable, roleOfFault, trialPath } from "./picture.ts";
import { STARTER } from "./starter.ts";

function outline(text: string) {
  const read = outlineOf(text);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

it("draws the text that a new workflow begins with, people and edges with their answers", () => {
  const { nodes, edges } = graphOf(drawable(outline(STARTER)));
  expect(nodes.map(({ id, kind }) => [id, kind])).toEqual([
    [START, "start"],
    ["drafter", "role"],
    ["approval", "person"],
    [END, "end"],
  ]);
  expect(edges.map(({ from, to, label }) => [from, to, label])).toEqual([
    [START, "drafter", ""],
    ["drafter", "approval", ""],
    ["approval", END, "approved"],
    ["approval", "drafter", "changes"],
  ]);
});

it("draws what does not compile: roles that are not there, questions, groups", () => {
  const text = `roles: { a: {} }
graph:
  a:
    - { status: x, role: $SUSPEND, prompt: What? }
    - { group: g, members: [{ role: a }, { role: b }] }
    - nowhere
  g: { x: $END, otherwise: a }
`;
  const { nodes, edges } = graphOf(drawable(outline(text)));
  expect(nodes.map(({ id }) => id)).toEqual([START, "a", "g", SUSPEND, END, "nowhere"]);
  expect(edges).toHaveLength(5);
});

it("says whose a fault is by the place in the text, its rules included", () => {
  const at = (words: string) => {
    const start = STARTER.indexOf(words);
    const span = { start, end: start + 1, line: 1, column: 1 };
    return roleOfFault(outline(STARTER), { level: "fault", message: "", place: null, span });
  };
  expect(at("The draft")).toBe("drafter");
  expect(at("changes: { role: drafter")).toBe("approval");
  expect(at("new: drafter")).toBeNull();
  expect(at("description: Somebody")).toBeNull();
});

it("lights the way of a trial, and lists what it has not taken", () => {
  const { graph } = drawable(outline(STARTER));
  const step = { condition: "", prompt: null, stub: null };
  const route = [
    { ...step, round: 1, from: START, to: "drafter", rule: 0 },
    { ...step, round: 2, from: "drafter", to: "approval", rule: 0 },
    { ...step, round: 3, from: "approval", to: "drafter", rule: 1 },
    { ...step, round: 4, from: "drafter", to: "approval", rule: 0 },
  ];
  const { path, untaken } = trialPath({ graph }, { route });
  expect(path.steps.map(({ edge }) => edge)).toEqual(["0", "1", "3", "1"]);
  expect(path.visits.get("drafter")).toBe(2);
  expect(untaken.map(({ to }) => to)).toEqual([END]);
});
