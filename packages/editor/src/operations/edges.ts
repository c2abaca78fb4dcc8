/** Edges: where a role's answers lead, and what the next role is told. */
import type { Failure, JsonValue, Result } from "@uncaged/workflow-protocol";
import { isMap } from "yaml";
import type { Step } from "../change.ts";
import { type Doc, nodeAt } from "../document.ts";
import type { Edit } from "../edit.ts";
import { answersIn, isTarget } from "../outline.ts";
import { fieldsAt, isFields, isList, type Path, type Tree, textAt, treeAt } from "../tree.ts";
import { operated, set } from "./texts.ts";

/** What is asked where nobody has written a question yet. */
const QUESTION = "What shall be done?";

/** Leads an edge elsewhere. */
export function setTarget(
  text: string,
  { edge, to }: { edge: Path; to: string },
): Result<Edit, Failure> {
  return operated(text, (doc) => stepsToTarget(doc, edge, to));
}

function stepsToTarget({ tree }: Doc, edge: Path, to: string): Step[] | string {
  const target = treeAt(tree, edge);
  if (target === undefined) return "there is no such edge";
  const isAsking = to === "$SUSPEND" && textAt(tree, [...edge, "prompt"]) === null;
  if (typeof target === "string") {
    return [set(edge, isAsking ? { role: to, prompt: QUESTION } : to)];
  }
  if (textAt(tree, [...edge, "group"]) !== null) return "it leads to a group";
  return [set([...edge, "role"], to), ...(isAsking ? [set([...edge, "prompt"], QUESTION)] : [])];
}

/** Null: nothing beyond what the workflow was asked. */
export function setPrompt(
  text: string,
  { edge, prompt }: { edge: Path; prompt: string | null },
): Result<Edit, Failure> {
  return operated(text, ({ tree, root }) => {
    const target = treeAt(tree, edge);
    if (typeof target === "string") {
      return prompt === null ? [] : [set(edge, { role: target, prompt })];
    }
    if (!isFields(target)) return "there is no such edge";
    if (prompt !== null) return [set([...edge, "prompt"], prompt)];
    if (!target.has("prompt")) return [];
    const node = nodeAt(root, edge);
    const role = target.get("role");
    const isBare = target.size === 2 && isMap(node) && node.flow === true;
    if (isBare && typeof role === "string" && typeof edge.at(-1) === "string") {
      return [set(edge, role)];
    }
    return [{ kind: "remove", path: [...edge, "prompt"] }];
  });
}

/** From a role's answer, or from whatever it says, to a role, `$END` or `$SUSPEND`. */
export function connect(
  text: string,
  { from, answer, to, prompt = null }: Connection,
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const { tree } = doc;
    const target = targetTo(to, prompt);
    const entry = treeAt(tree, ["graph", from]);
    if (from === "$START") {
      const known = treeAt(tree, ["graph", from, "new"]);
      return known === undefined
        ? [set(["graph", from, "new"], target)]
        : stepsToTarget(doc, ["graph", from, "new"], to);
    }
    if (answer === null) {
      if (entry === undefined || entry === null) return [set(["graph", from], target)];
      if (isFields(entry) && !isTarget(entry)) return "its answers lead on; connect one of them";
      if (isList(entry)) return insertedRule(entry, from, target);
      return stepsToTarget(doc, ["graph", from], to);
    }
    return stepsForAnswer(tree, { from, answer, target });
  });
}

export type Connection = {
  from: string;
  /** Null: whatever it says. */
  answer: string | null;
  to: string;
  prompt?: string | null;
};

export function targetTo(to: string, prompt: string | null): JsonValue {
  if (prompt !== null) return { role: to, prompt };
  return to === "$SUSPEND" ? { role: to, prompt: QUESTION } : to;
}

/** The answer leads there, whatever shape the role's entry has. */
export function stepsForAnswer(
  tree: Tree,
  { from, answer, target }: { from: string; answer: string; target: JsonValue },
): Step[] | string {
  const entry = treeAt(tree, ["graph", from]);
  if (isList(entry)) {
    const at = entry.findIndex(
      (rule) => textAt(rule, ["status"]) === answer && treeAt(rule, ["when"]) === undefined,
    );
    if (at >= 0) {
      const to = typeof target === "string" ? target : textOf(target, "role");
      return [set(["graph", from, at, "role"], to)];
    }
    return insertedRule(entry, from, target, answer);
  }
  if (isFields(entry) && !isTarget(entry)) return [set(["graph", from, answer], target)];
  const others = answersIn(treeAt(tree, ["roles", from]) ?? null).filter((each) => each !== answer);
  if (entry === undefined || entry === null || others.length === 0) {
    return [
      set(["graph", from], others.length === 0 && entry === null ? target : { [answer]: target }),
    ];
  }
  // What held for all answers holds for each of the others.
  const same = jsonOf(entry);
  const all = Object.fromEntries(others.map((each) => [each, same]));
  return [set(["graph", from], { ...all, [answer]: target })];
}

/** Before the rule that always holds. */
function insertedRule(
  entry: readonly Tree[],
  from: string,
  target: JsonValue,
  status: string | null = null,
): Step[] {
  const isLastOpen = entry.length > 0 && treeAt(entry.at(-1) ?? null, ["status"]) === undefined;
  const at = isLastOpen && status !== null ? entry.length - 1 : entry.length;
  const rule = typeof target === "string" ? { role: target } : Object(target);
  const value: JsonValue = { ...(status === null ? {} : { status }), ...rule };
  return [{ kind: "insert", path: ["graph", from], at, value }];
}

function textOf(value: JsonValue, key: string): string {
  const found: unknown = Object(value)[key];
  return typeof found === "string" ? found : "";
}

export function jsonOf(tree: Tree): JsonValue {
  if (isFields(tree))
    return Object.fromEntries([...tree].map(([key, each]) => [key, jsonOf(each)]));
  return isList(tree) ? tree.map(jsonOf) : tree;
}

export function disconnect(text: string, { edge }: { edge: Path }): Result<Edit, Failure> {
  return operated(text, ({ tree }) => {
    if (treeAt(tree, edge) === undefined) return "there is no such edge";
    if (edge[1] === "$START" && edge[2] === "new")
      return "a thread has to begin somewhere; connect it elsewhere";
    const isOnly = edge.length === 3 && fieldsAt(tree, edge.slice(0, 2)).size === 1;
    return [{ kind: "remove", path: isOnly ? edge.slice(0, 2) : edge }];
  });
}
