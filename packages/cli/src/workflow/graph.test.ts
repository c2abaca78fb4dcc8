import {
  type DescriptorEdge,
  END,
  FALLBACK,
  START,
  SUSPEND,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { styleOf } from "../terminal/style.ts";
import { drawGraph } from "./draw-graph.ts";
import { mermaid } from "./mermaid.ts";

const plain = styleOf({ color: false, columns: null });

const AGENT = { description: "", systemPrompt: "", schema: {} };

function descriptorOf(
  roles: string[],
  edges: [string, string, string, DescriptorEdge["outcomes"]?][],
): WorkflowDescriptor {
  return {
    description: "",
    roles: Object.fromEntries(roles.map((role) => [role, AGENT])),
    graph: {
      edges: edges.map(([from, condition, to, outcomes]) => ({
        from,
        to,
        condition,
        when: condition === FALLBACK ? null : "true",
        prompt: null,
        location: null,
        ...(outcomes === undefined ? {} : { outcomes }),
      })),
    },
  };
}

const REVIEW = descriptorOf(
  ["reviewer", "writer", "forgotten", "end"],
  [
    ["reviewer", "ok", END],
    [
      "reviewer",
      `$count(last.meta.problems[severity = "high"]) > 0 and byRole.reviewer.count < 4`,
      "writer",
    ],
    ["reviewer", FALLBACK, "end", ["timeout", "limit"]],
    ["reviewer", FALLBACK, "reviewer"],
    ["writer", "written", "reviewer"],
    ["writer", "stuck", SUSPEND],
    [START, FALLBACK, "writer"],
    ["forgotten", FALLBACK, END],
  ],
);

describe("the graph of a workflow", () => {
  it("is drawn from its start, with loops, waits and ends, and long conditions shortened", async () => {
    await expect(`${drawGraph(REVIEW, plain)}\n`).toMatchFileSnapshot("./golden/graph.txt");
  });

  it("shows that a rule without outcomes applies only after a role that succeeded", () => {
    const drawn = drawGraph(
      descriptorOf(
        ["coder"],
        [
          [START, FALLBACK, "coder"],
          ["coder", FALLBACK, END],
          ["coder", FALLBACK, "coder", ["timeout"]],
        ],
      ),
      plain,
    );
    expect(drawn).toContain(" ├─ on ok ──────▶ ■ end\n └─ on timeout ─▶ coder ↺");
  });

  it("is coloured where that is wanted, otherwise without control characters", () => {
    expect(drawGraph(REVIEW, styleOf({ color: true, columns: 80 }))).toContain("\u001b[");
    expect(drawGraph(REVIEW, plain)).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("is Mermaid, in which no name or condition is mistaken for syntax", async () => {
    await expect(mermaid(REVIEW)).toMatchFileSnapshot("./golden/graph.mmd");
  });

  it("marks the roles that people play", () => {
    const { roles, graph } = descriptorOf(
      ["boss"],
      [
        [START, FALLBACK, "boss"],
        ["boss", FALLBACK, END],
      ],
    );
    const asks = { description: "", graph, roles: { boss: { ...AGENT, person: {} } } };
    expect(roles.boss).toEqual(AGENT);
    expect(drawGraph(asks, plain)).toContain("│ boss (a person) │");
    expect(mermaid(asks)).toContain('n1{{"boss"}}');
  });
});
