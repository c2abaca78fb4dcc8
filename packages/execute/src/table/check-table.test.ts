import { type DescriptorEdge, END, START, SUSPEND } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { edge } from "../testing/edge.test.helper.ts";
import { checkTable } from "./check-table.ts";

const when = (text: string): Partial<DescriptorEdge> => ({ condition: "c", when: text });

function found(edges: readonly DescriptorEdge[]): string[] {
  const names = new Set(edges.flatMap(({ from, to }) => [from, to]));
  for (const name of [START, END, SUSPEND]) names.delete(name);
  const role = { description: "", systemPrompt: "", schema: {} };
  const roles = Object.fromEntries([...names].map((name) => [name, role]));
  return checkTable({ description: "", roles, graph: { edges } }).map(
    ({ code, place }) => `${code} ${place}`,
  );
}

describe("the check of a table", () => {
  it("finds nothing in one that is sound", () => {
    const edges = [
      edge(START, "coder"),
      edge("coder", "coder", when("last.meta.left > 0")),
      edge("coder", SUSPEND, when("last.meta.asks")),
      edge("coder", "tester", { outcomes: ["ok", "timeout"] }),
      edge("tester", END),
    ];
    expect(found(edges)).toEqual([]);
  });

  it("names a rule after one that always holds, and a rule that never holds", () => {
    const edges = [
      edge(START, "coder"),
      edge("coder", END),
      edge("coder", "coder", when("last.meta.left > 0")),
      edge("coder", "coder", { outcomes: ["timeout"] }),
      edge("coder", END, { outcomes: ["ok", "timeout"] }),
    ];
    expect(found(edges)).toEqual(["RULE_DEAD table.coder[1]", "RULE_DEAD table.coder[3]"]);
    const literal = [
      edge(START, END, when("false")),
      edge(START, END, when(" true ")),
      edge(START, END),
    ];
    expect(found(literal)).toEqual([`RULE_DEAD table.${START}[0]`, `RULE_DEAD table.${START}[2]`]);
  });

  it("names a role that no living rule leads to", () => {
    const edges = [
      edge(START, "coder"),
      edge("coder", END),
      edge("coder", "tester", when("x")),
      edge("tester", "coder"),
    ];
    expect(found(edges)).toEqual(["RULE_DEAD table.coder[1]", "ROLE_UNREACHABLE roles.tester"]);
  });

  it("names a field that no schema has, with the text that uses it", () => {
    const edges = [
      edge(START, "coder", { prompt: "{{ strat.content }}" }),
      edge("coder", "coder", when("last.mta.left > 0")),
      edge("coder", END),
    ];
    expect(found(edges)).toEqual([
      `FIELD_UNKNOWN table.${START}[0].prompt`,
      "FIELD_UNKNOWN table.coder[0].when",
    ]);
  });

  it("finds nothing in the graph of a workflow function, which has no table", () => {
    const roles = { coder: { description: "", systemPrompt: "", schema: {} } };
    expect(checkTable({ description: "", roles, graph: { edges: [] } })).toEqual([]);
  });

  it("names a role that leads only to itself, and those that lead there only", () => {
    const edges = [edge(START, "coder"), edge("coder", "tester"), edge("tester", "tester")];
    expect(found(edges)).toEqual([
      `NO_END table.${START}`,
      "NO_END table.coder",
      "NO_WAY_OUT table.tester",
    ]);
  });

  it("knows that a thread ends where no rule holds", () => {
    expect(
      found([edge(START, "coder"), edge("coder", "coder", when("last.meta.left > 0"))]),
    ).toEqual([]);
    expect(
      found([edge(START, "coder"), edge("coder", "coder", { outcomes: ["timeout"] })]),
    ).toEqual([]);
  });

  it("warns of a rule that reads the history once per item", () => {
    const slow = when("$filter(last.meta.list, function($x) { $x in steps.meta.n })");
    const findings = found([edge(START, "coder"), edge("coder", END, slow), edge("coder", END)]);
    expect(findings).toEqual(["RULE_SLOW table.coder[0]"]);
  });
});
