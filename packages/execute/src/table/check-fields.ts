/** Fields that a workflow's expressions use and that no schema of its roles has. */
import { type FieldFinding, checkFields as fieldsIn } from "@uncaged/workflow-moderator";
import {
  DEFAULT_ITEM_NAME,
  membersIn,
  START,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
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
  const groups = new Set(graph.edges.flatMap(({ group }) => group?.name ?? []));
  for (const { from, when, prompt, location, group } of graph.edges) {
    const at = places.get(from) ?? 0;
    places.set(from, at + 1);
    const place = `table.${from}[${at}]`;
    // After a group the last step is a member, of whatever role.
    const last = from === START || groups.has(from) ? null : from;
    const names = groups.has(from) ? ["group"] : [];
    check(`${place}.when`, when, { kind: "expression", last, names });
    check(`${place}.prompt`, prompt, { kind: "template", last, names });
    check(`${place}.location`, location, { kind: "template", last, names });
    if (group === undefined) continue;
    check(`${place}.group.each`, group.each ?? null, { kind: "expression", last, names });
    const item = group.each === undefined ? [] : [group.as ?? DEFAULT_ITEM_NAME];
    for (const [index, member] of membersIn(group).entries()) {
      const where = `${place}.group${group.each === undefined ? `.members[${index}]` : ""}`;
      const about: About = { kind: "template", last, names: [...names, ...item] };
      check(`${where}.prompt`, member.prompt ?? null, about);
      check(`${where}.location`, member.location ?? null, about);
    }
  }
  const ends = groups.size === 0 ? [] : ["group"];
  check("result", result ?? null, { kind: "expression", last: null, names: ends });
  return findings;
}

type About = { kind: "expression" | "template"; last: string | null; names: readonly string[] };

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
