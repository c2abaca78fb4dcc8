/** What a role returns: the answers that the graph decides by, and fields. */
import type { Failure, JsonObject, Result } from "@uncaged/workflow-protocol";
import type { Step } from "../change.ts";
import type { Doc } from "../document.ts";
import type { Edit } from "../edit.ts";
import { type FieldForm, fieldsIn, schemaOf } from "../fields.ts";
import { withField } from "../mentions.ts";
import { answersIn, isTarget } from "../outline.ts";
import {
  fieldsAt,
  isFields,
  isList,
  listAt,
  type Path,
  type Tree,
  textAt,
  treeAt,
} from "../tree.ts";
import { stepsForAnswer, targetTo } from "./edges.ts";
import { placesIn } from "./places.ts";
import { expressionsIn, operated, set } from "./texts.ts";

/** Answer and edge together: neither is right without the other. */
export function addAnswer(
  text: string,
  {
    role,
    answer,
    to,
    prompt = null,
  }: { role: string; answer: string; to: string; prompt?: string | null },
): Result<Edit, Failure> {
  return operated(text, ({ tree }) => {
    const own = treeAt(tree, ["roles", role]);
    if (own === undefined) return `there is no role ${role}`;
    const fault = answerFault(own, answer);
    if (fault !== null) return fault;
    const answers = answersIn(own);
    const target = targetTo(to, prompt);
    const output = outputOf(role);
    if (answers.length > 0) {
      const list = [...output, "properties", "status", "enum"];
      const isList = treeAt(tree, list) !== undefined;
      const edge = stepsForAnswer(tree, { from: role, answer, target });
      if (typeof edge === "string") return edge;
      return [
        isList
          ? { kind: "insert", path: list, at: answers.length, value: answer }
          : set([...output, "properties", "status"], { enum: [...answers, answer] }),
        ...edge,
      ];
    }
    // With a single answer there is nothing to decide: what held always still does.
    return [
      ...newStatus(tree, role, [answer]),
      ...(treeAt(tree, ["graph", role]) === undefined ? [set(["graph", role], target)] : []),
    ];
  });
}

function answerFault(role: Tree, answer: string): string | null {
  if (answersIn(role).includes(answer)) return `there is already an answer ${answer}`;
  return /^(?:role|group|FALLBACK|otherwise|\$.*|\s*|[\s\S]{65,})$/.test(answer)
    ? `${JSON.stringify(answer)} cannot be an answer: use another word`
    : null;
}

function outputOf(role: string): Path {
  return ["roles", role, "output"];
}

function newStatus(tree: Tree, role: string, answers: readonly string[]): Step[] {
  const output = outputOf(role);
  const status = set([...output, "properties", "status"], { enum: [...answers] });
  return [status, ...requiredSteps(tree, role, "status", true)];
}

function requiredSteps(tree: Tree, role: string, field: string, required: boolean): Step[] {
  const path = [...outputOf(role), "required"];
  const list = listAt(tree, path);
  const at = list.indexOf(field);
  if (required === at >= 0) return [];
  if (!required) return [{ kind: "remove", path: [...path, at] }];
  return [{ kind: "insert", path, at: list.length, value: field }];
}

/** With its edge. */
export function removeAnswer(
  text: string,
  { role, answer }: { role: string; answer: string },
): Result<Edit, Failure> {
  return operated(text, ({ tree }) => {
    const answers = answersIn(treeAt(tree, ["roles", role]) ?? null);
    const at = answers.indexOf(answer);
    if (at < 0) return `there is no answer ${answer}`;
    const output = outputOf(role);
    const entry = treeAt(tree, ["graph", role]);
    if (answers.length === 1) {
      if (isFields(entry) && !isTarget(entry))
        return "it is the only answer, and its edge is the only way on";
      return [
        { kind: "remove", path: [...output, "properties", "status"] },
        ...requiredSteps(tree, role, "status", false),
      ];
    }
    if (treeAt(tree, [...output, "properties", "status", "enum"]) === undefined) {
      return "its answers are not written as a list";
    }
    const steps: Step[] = [
      { kind: "remove", path: [...output, "properties", "status", "enum", at] },
    ];
    if (isFields(entry) && !isTarget(entry) && entry.has(answer)) {
      steps.push({ kind: "remove", path: ["graph", role, answer] });
    }
    if (!isList(entry)) return steps;
    for (const [index, rule] of [...entry.entries()].toReversed()) {
      if (textAt(rule, ["status"]) === answer) {
        steps.push({ kind: "remove", path: ["graph", role, index] });
      }
      const place = listAt(rule, ["status"]).indexOf(answer);
      if (place >= 0) steps.push({ kind: "remove", path: ["graph", role, index, "status", place] });
    }
    return steps;
  });
}

/** With the edge, and with the rules that compare it. */
export function renameAnswer(
  text: string,
  { role, answer, to }: { role: string; answer: string; to: string },
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const { tree } = doc;
    const own = treeAt(tree, ["roles", role]) ?? null;
    const at = answersIn(own).indexOf(answer);
    if (at < 0) return `there is no answer ${answer}`;
    const fault = answerFault(own, to);
    if (fault !== null) return fault;
    const status = [...outputOf(role), "properties", "status"];
    const isOnly = textAt(tree, [...status, "const"]) !== null;
    const steps = [set(isOnly ? [...status, "const"] : [...status, "enum", at], to)];
    const entry = treeAt(tree, ["graph", role]);
    for (const [index, rule] of (isList(entry) ? entry : []).entries()) {
      const path = ["graph", role, index, "status"];
      if (textAt(tree, path) === answer) steps.push(set(path, to));
      const place = listAt(rule, ["status"]).indexOf(answer);
      if (place >= 0) steps.push(set([...path, place], to));
    }
    if (isFields(entry) && !isTarget(entry) && entry.has(answer)) {
      steps.push({ kind: "rename", path: ["graph", role, answer], to });
    }
    return steps;
  });
}

export function addField(
  text: string,
  { role, field }: { role: string; field: FieldForm },
): Result<Edit, Failure> {
  return operated(text, ({ tree }) => {
    const fault = fieldFault(tree, role, field.name);
    if (fault !== null) return fault;
    return [
      set([...outputOf(role), "properties", field.name], schemaOf(field)),
      ...requiredSteps(tree, role, field.name, field.required),
    ];
  });
}

function fieldFault(tree: Tree, role: string, name: string): string | null {
  if (fieldsAt(tree, [...outputOf(role), "properties"]).has(name))
    return `there is already a field ${name}`;
  if (name === "status") return "the answers are the field status";
  return /^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u.test(name) && name !== "__proto__"
    ? null
    : `${JSON.stringify(name)} cannot be the name of a field: use letters, digits and _`;
}

export function removeField(
  text: string,
  { role, field }: { role: string; field: string },
): Result<Edit, Failure> {
  return operated(text, ({ tree }) => {
    const properties = [...outputOf(role), "properties"];
    if (!fieldsAt(tree, properties).has(field)) return `there is no field ${field}`;
    return [
      ...requiredSteps(tree, role, field, false),
      { kind: "remove", path: [...properties, field] },
    ];
  });
}

/** What a field takes. A new name goes into the prompts and rules that use it. */
export function setField(
  text: string,
  { role, name, field }: { role: string; name: string; field: FieldForm },
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const { tree } = doc;
    const before = fieldsIn(treeAt(tree, outputOf(role)) ?? null).find(
      (each) => each.name === name,
    );
    if (before === undefined) return `there is no field ${name}`;
    const fault = field.name === name ? null : fieldFault(tree, role, field.name);
    if (fault !== null) return fault;
    const path = [...outputOf(role), "properties", name];
    const steps = [...schemaSteps(doc, path, before, field)];
    if (field.name === name) return [...steps, ...requiredSteps(tree, role, name, field.required)];
    const at = listAt(tree, [...outputOf(role), "required"]).indexOf(name);
    if (at >= 0 && field.required) steps.push(set([...outputOf(role), "required", at], field.name));
    else steps.push(...requiredSteps(tree, role, at >= 0 ? name : field.name, field.required));
    return [
      ...steps,
      ...fieldMentions(doc, role, { from: name, to: field.name }),
      { kind: "rename", path, to: field.name },
    ];
  });
}

function schemaSteps({ tree }: Doc, path: Path, before: FieldForm, after: FieldForm): Step[] {
  const schema: JsonObject = schemaOf(after);
  if (after.kind !== "other" && before.kind !== after.kind) return [set(path, schema)];
  const steps: Step[] = [];
  if (after.kind === "choice" && before.choices.join("\n") !== after.choices.join("\n")) {
    steps.push(set([...path, "enum"], [...after.choices]));
  }
  if (before.about === after.about) return steps;
  if (after.about !== null && after.about !== "") {
    steps.push(set([...path, "description"], after.about));
  } else if (treeAt(tree, [...path, "description"]) !== undefined) {
    steps.push({ kind: "remove", path: [...path, "description"] });
  }
  return steps;
}

function fieldMentions(doc: Doc, role: string, names: { from: string; to: string }): Step[] {
  const places = placesIn(doc);
  return places
    .flatMap(({ path, from }) =>
      expressionsIn(doc, [path])
        .filter((each) => each.path[0] === "graph")
        .flatMap(({ path: at, text }) => {
          const after = withField(text, { role, ...names, isLast: from === role });
          return after === text ? [] : [set(at, after)];
        }),
    )
    .concat(
      expressionsIn(doc, []).flatMap(({ path, text }) => {
        const after = withField(text, { role, ...names, isLast: false });
        return after === text ? [] : [set(path, after)];
      }),
    );
}
