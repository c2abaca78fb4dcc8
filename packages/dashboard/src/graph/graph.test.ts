import type { DescriptorEdge, DescriptorRole } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { indexOf } from "../thread-row.test.helper.ts";
import { layoutOf } from "./layout.ts";
import { makeLights } from "./lights.ts";
import { graphOf } from "./model.ts";
import { pathOf } from "./path.ts";

const role: DescriptorRole = { description: "d", systemPrompt: "", schema: {} };
const edge = (
  from: string,
  to: string,
  condition = "FALLBACK",
  more: Partial<DescriptorEdge> = {},
): DescriptorEdge => ({
  from,
  to,
  condition,
  when: condition === "FALLBACK" ? null : "true",
  prompt: null,
  location: null,
  ...more,
});
const edges = [
  edge("__start__", "coder"),
  edge("coder", "coder", "again"),
  edge("coder", "boss", "ask"),
  edge("coder", "boss", "askTwice"),
  edge("coder", "__suspend__", "FALLBACK", { outcomes: ["timeout"] }),
  edge("boss", "reviews", "FALLBACK", { group: { name: "reviews", each: "x", role: "reviewer" } }),
  edge("reviews", "__end__", "clean"),
  edge("reviews", "__end__"),
];
const roles = { coder: role, boss: { ...role, person: {} }, reviewer: role };
const model = graphOf({ roles, graph: { edges } });

test("start, end, people, groups and questions are drawn; members stand in their group", () => {
  expect(model.nodes.map(({ id, kind }) => [id, kind])).toEqual([
    ["__start__", "start"],
    ["coder", "role"],
    ["boss", "person"],
    ["reviews", "group"],
    ["__suspend__", "ask"],
    ["__end__", "end"],
  ]);
  expect(model.edges.map(({ label, fault }) => [label, fault])).toEqual([
    ["", false],
    ["again", false],
    ["ask", false],
    ["askTwice", false],
    ["timeout", true],
    ["", false],
    ["clean", false],
    ["", false],
  ]);
});

test("what no role declares is drawn too, so that nothing is missing", () => {
  const odd = graphOf({ roles: {}, graph: { edges: [edge("__start__", "lost")] } });
  expect(odd.nodes.map(({ id }) => id)).toContain("lost");
});

test("parallel edges and self-loops stand apart, no node covers another, and it is the same each time", () => {
  const layout = layoutOf(model);
  expect(layoutOf(model)).toEqual(layout);
  const bends = new Set(model.edges.map(({ id }) => JSON.stringify(layout.edges[id]?.points)));
  expect(bends.size).toBe(model.edges.length);
  for (const a of model.nodes) {
    for (const b of model.nodes) {
      if (a.id === b.id) continue;
      const p = layout.nodes[a.id] ?? { x: 0, y: 0 };
      const q = layout.nodes[b.id] ?? { x: 0, y: 0 };
      const apart =
        p.x + a.width <= q.x ||
        q.x + b.width <= p.x ||
        p.y + a.height <= q.y ||
        q.y + b.height <= p.y;
      expect(apart, `${a.id} and ${b.id}`).toBe(true);
    }
  }
});

const group = { name: "reviews", entry: 3, of: 1, index: 0 };
const index = indexOf([
  { role: "coder", from: "__start__", condition: "FALLBACK" },
  { role: "coder", from: "coder", condition: "again" },
  { role: "boss", from: "coder", condition: "ask" },
  { role: "reviewer", from: "boss", condition: "FALLBACK", group },
]);

test("the path is lit as far as the step that is looked at", () => {
  const path = pathOf(index, edges, true);
  expect(path.steps.map(({ node }) => node)).toEqual(["coder", "coder", "boss", "reviews"]);
  expect(path.visits.get("coder")).toBe(2);
  const lights = makeLights();
  lights.set({ path, step: 2, running: [] });
  expect(["__start__", "coder", "boss", "__end__"].map(lights.node)).toEqual([
    "lit",
    "here",
    "off",
    "off",
  ]);
  expect(["0", "1", "2", "3"].map(lights.edge)).toEqual(["lit", "here", "off", "off"]);
  lights.set({ path, step: null, running: ["boss"] });
  expect(["coder", "boss", "__end__"].map(lights.node)).toEqual(["lit", "now", "lit"]);
});

test("which of two rules ended it is not made up", () => {
  const path = pathOf(index, edges, true);
  expect(path.edges.has("6") || path.edges.has("7")).toBe(false);
});

test("a path of a command-started or odd thread, without routes, is still a path", () => {
  const path = pathOf(indexOf([{ role: "coder" }, { role: "nobody" }]), edges, false);
  expect(path.steps.map(({ node }) => node)).toEqual(["coder", "nobody"]);
});

test("roles that are called like parts of every object stand as all others do", () => {
  const names = ["__proto__", "constructor", "toString", "_d1"];
  const chain = ["__start__", ...names, "__end__"];
  const drawn = graphOf({
    roles: Object.fromEntries(names.map((name) => [name, role])),
    graph: { edges: names.map((name, at) => edge(chain[at] ?? "", name)) },
  });
  const { nodes } = layoutOf(drawn);
  const heights = names.map((name) => nodes[name]?.y ?? 0);
  expect(heights).toEqual([...new Set(heights)].sort((a, b) => a - b));
});
