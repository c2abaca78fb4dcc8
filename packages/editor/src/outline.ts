/** A text as a graph of roles: what the editor draws and its forms show. The same text always gives the same. */
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { isMap, isSeq } from "yaml";
import { type Doc, endOf, endOfPair, nodeAt, pairIn, readDocument } from "./document.ts";
import { type FieldForm, fieldsIn } from "./fields.ts";
import {
  fieldsAt,
  isFields,
  isList,
  listAt,
  type Path,
  type Tree,
  textAt,
  treeAt,
} from "./tree.ts";

export type Outline = {
  description: string;
  roles: OutlineRole[];
  edges: OutlineEdge[];
  /** Names in the settings: who plays the roles that name nobody; null: whoever is the default there. */
  defaultAgent: string | null;
  /** What only the text shows. */
  onlyText: { what: string; span: Span }[];
};

export type Span = { start: number; end: number };

export type OutlineRole = {
  name: string;
  goal: string;
  /** One text, or steps; null: none. */
  procedure: string | string[] | null;
  player: Player;
  /** What the role may decide, as its `status`; empty: there is nothing to decide. */
  answers: string[];
  /** Beside `status`. */
  fields: FieldForm[];
  /** From its name to its end. */
  span: Span;
};

export type Player =
  | { kind: "person" }
  /** An agent or a program, by its name in the settings; null: the default. */
  | { kind: "agent"; agent: string | null };

export type OutlineEdge = {
  /** Where it stands; operations take it. */
  path: Path;
  /** `$START`, a role or a group. */
  from: string;
  /** A role, a group, `$END` or `$SUSPEND`. */
  to: string;
  /** The status of a role that decides; null: whatever it says. */
  answers: string[] | null;
  /** A condition beyond the answer, which forms show and the text changes. */
  when: string | null;
  /** Its own name, where it has one. */
  name: string | null;
  outcomes: string[] | null;
  /** Of `$START`: for a thread that goes on with another's work. */
  resumes: boolean;
  prompt: string | null;
  /** Who plays side by side there; null: it leads to no group. */
  members: { each: string | null; roles: string[] } | null;
  span: Span;
};

/** `YAML_INVALID` where the text cannot be read. */
export function graphOf(text: string): Result<Outline, Failure> {
  const doc = readDocument(text);
  return doc.ok ? ok(outlineOf(doc.value)) : doc;
}

function outlineOf(doc: Doc): Outline {
  const { tree } = doc;
  const roles = [...fieldsAt(tree, ["roles"])].map(([name, role]) => roleOf(doc, name, role));
  const edges = [...fieldsAt(tree, ["graph"])].flatMap(([from, entry]) =>
    edgesOf(doc, from, entry),
  );
  return {
    description: textAt(tree, ["description"]) ?? "",
    roles,
    edges,
    defaultAgent: textAt(tree, ["agents", "default"]),
    onlyText: onlyText(doc),
  };
}

function roleOf(doc: Doc, name: string, role: Tree): OutlineRole {
  const procedure = treeAt(role, ["procedure"]);
  const steps = isList(procedure) ? procedure.filter((each) => typeof each === "string") : null;
  const agent = textAt(doc.tree, ["agents", name]);
  return {
    name,
    goal: textAt(role, ["goal"]) ?? "",
    procedure: typeof procedure === "string" ? procedure : steps,
    player: textAt(role, ["by"]) === "person" ? { kind: "person" } : { kind: "agent", agent },
    answers: answersIn(role),
    fields: fieldsIn(treeAt(role, ["output"]) ?? null),
    span: spanOfPair(doc, ["roles", name]),
  };
}

export function answersIn(role: Tree): string[] {
  const status = ["output", "properties", "status"];
  const list = listAt(role, [...status, "enum"]);
  const only = textAt(role, [...status, "const"]);
  return only === null ? list.filter((each) => typeof each === "string") : [only];
}

function edgesOf(doc: Doc, from: string, entry: Tree): OutlineEdge[] {
  const base: Path = ["graph", from];
  if (isList(entry)) {
    return entry.flatMap((rule, at) => {
      const status = treeAt(rule, ["status"]);
      const answers = typeof status === "string" ? [status] : isList(status) ? texts(status) : null;
      return edgeTo(doc, { from, path: [...base, at], target: rule, answers });
    });
  }
  if (from === "$START") {
    return ["new", "resume"].flatMap((key) => {
      const target = treeAt(entry, [key]);
      if (target === undefined) return [];
      const resumes = key === "resume";
      return edgeTo(doc, { from, path: [...base, key], target, answers: null }).map((edge) => ({
        ...edge,
        resumes,
      }));
    });
  }
  if (!isFields(entry) || isTarget(entry)) {
    return edgeTo(doc, { from, path: base, target: entry, answers: null });
  }
  return [...entry].flatMap(([answer, target]) => {
    const answers = answer === "otherwise" && !hasAnswer(doc, from, answer) ? null : [answer];
    return edgeTo(doc, { from, path: [...base, answer], target, answers });
  });
}

function hasAnswer({ tree }: Doc, role: string, answer: string): boolean {
  return answersIn(treeAt(tree, ["roles", role]) ?? null).includes(answer);
}

/** A target that is no mapping of answers. */
export function isTarget(entry: ReadonlyMap<string, Tree>): boolean {
  return entry.has("role") || entry.has("group");
}

function edgeTo(
  doc: Doc,
  {
    from,
    path,
    target,
    answers,
  }: Pick<OutlineEdge, "from" | "path" | "answers"> & { target: Tree },
): OutlineEdge[] {
  const group = textAt(target, ["group"]);
  const to = typeof target === "string" ? target : (group ?? textAt(target, ["role"]));
  if (to === null) return [];
  const outcomes = treeAt(target, ["outcomes"]);
  const members = listAt(target, ["members"]).map((member) => textAt(member, ["role"]) ?? "");
  const each = textAt(target, ["each"]);
  return [
    {
      ...{ path, from, to, answers },
      when: textAt(target, ["when"]),
      name: textAt(target, ["name"]),
      outcomes: isList(outcomes) ? texts(outcomes) : null,
      resumes: false,
      prompt: textAt(target, ["prompt"]),
      members:
        group === null
          ? null
          : { each, roles: each === null ? members : [textAt(target, ["role"]) ?? ""] },
      span: spanOfPair(doc, path),
    },
  ];
}

function texts(list: readonly Tree[]): string[] {
  return list.filter((each) => typeof each === "string");
}

/** With its key. */
function spanOfPair({ root, text }: Doc, path: Path): Span {
  const parent = nodeAt(root, path.slice(0, -1));
  const found = isMap(parent) ? pairIn(parent, String(path.at(-1))) : null;
  if (found !== null) {
    return { start: found.pair.key.range?.[0] ?? 0, end: endOfPair(text, found.pair) };
  }
  const node = nodeAt(root, path);
  return node === null
    ? { start: 0, end: 0 }
    : { start: node.range?.[0] ?? 0, end: endOf(text, node) };
}

/** Rules of roles that have no form, and groups. */
function onlyText(doc: Doc): Outline["onlyText"] {
  const found: Outline["onlyText"] = [];
  const add = (what: string, path: Path): void => {
    found.push({ what, span: spanOfPair(doc, path) });
  };
  const top = isFields(doc.tree) ? doc.tree : new Map<string, Tree>();
  if (top.has("limits")) add("limits of the whole thread", ["limits"]);
  if (top.has("result")) add("what the workflow returns", ["result"]);
  for (const [name, role] of fieldsAt(doc.tree, ["roles"])) {
    for (const key of isFields(role) ? role.keys() : []) {
      const what = BESIDE_FORMS.get(key);
      if (what !== undefined) add(`${name}: ${what}`, ["roles", name, key]);
    }
  }
  for (const [from, entry] of fieldsAt(doc.tree, ["graph"])) {
    if (isSeq(nodeAt(doc.root, ["graph", from])) && isList(entry)) {
      if (entry.some((rule) => treeAt(rule, ["when"]) !== undefined)) {
        add(`${from}: rules with conditions, tried in order`, ["graph", from]);
      }
    }
  }
  return found;
}

const BESIDE_FORMS: ReadonlyMap<string, string> = new Map([
  ["capabilities", "what it can do"],
  ["tools", "the tools that it may use"],
  ["requiredEvidence", "what it has to show"],
  ["timeoutMs", "its time limit"],
  ["retry", "when it is tried again"],
  ["limits", "its limits"],
  ["assignees", "who is asked"],
]);
