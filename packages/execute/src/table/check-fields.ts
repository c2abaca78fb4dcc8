/** Fields that a workflow's expressions use and that no schema of its roles has. */
import { type FieldFinding, checkFields as fieldsIn } from "@uncaged/workflow-moderator";
import { START, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { didYouMean } from "@uncaged/workflow-register";
import type { TableFinding } from "./table-finding.ts";

export function checkFields({ roles, graph, result }: WorkflowDescriptor): TableFinding[] {
  const schemas = Object.fromEntries(
    Object.entries(roles).map(([role, { schema }]) => [role, schema]),
  );
  const findings: TableFinding[] = [];
  const check = (place: string, text: string | null, about: About): void => {
    if (text === null) return;
    for (const found of fieldsIn({ text, roles: schemas, ...about }))
      findings.push(findingOf(place, found));
  };
  const places = new Map<string, number>();
  for (const { from, when, prompt, location } of graph.edges) {
    const at = places.get(from) ?? 0;
    places.set(from, at + 1);
    const last = from === START ? null : from;
    const place = `table.${from}[${at}]`;
    check(`${place}.when`, when, { kind: "expression", last });
    check(`${place}.prompt`, prompt, { kind: "template", last });
    check(`${place}.location`, location, { kind: "template", last });
  }
  check("result", result ?? null, { kind: "expression", last: null });
  return findings;
}

type About = { kind: "expression" | "template"; last: string | null };

function findingOf(place: string, { level, field, of, known }: FieldFinding): TableFinding {
  const name = JSON.stringify(field);
  const meant = didYouMean(field, known);
  const message =
    level === "fault"
      ? `${of === "" ? "there is no" : `${of} has no field`} ${name}${meant}`
      : `no schema declares the field ${name} of ${of}, and an open one allows it${meant}`;
  const code = level === "fault" ? "FIELD_UNKNOWN" : "FIELD_UNDECLARED";
  return { code, level, place, message, field: of === "" ? field : `${of}.${field}` };
}
