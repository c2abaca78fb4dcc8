/** Roles: who they are, what they are for, and who plays them. */
import {
  type Failure,
  type JsonObject,
  type Result,
  roleNameFault,
} from "@uncaged/workflow-protocol";
import { changed, type Step } from "../change.ts";
import type { Doc } from "../document.ts";
import type { Edit } from "../edit.ts";
import { withRole } from "../mentions.ts";
import type { Player } from "../outline.ts";
import { fieldsAt, textAt, treeAt } from "../tree.ts";
import { placesIn } from "./places.ts";
import { expressionsIn, operated, set, setOrRemove } from "./texts.ts";

export function setGoal(
  text: string,
  { role, goal }: { role: string; goal: string },
): Result<Edit, Failure> {
  return changed(text, [set(["roles", role, "goal"], goal)]);
}

/** Null removes it. */
export function setProcedure(
  text: string,
  { role, procedure }: { role: string; procedure: string | readonly string[] | null },
): Result<Edit, Failure> {
  return operated(text, (doc) =>
    setOrRemove(
      doc,
      ["roles", role, "procedure"],
      procedure === null || typeof procedure === "string" ? procedure : [...procedure],
    ),
  );
}

/** With all its mentions: as a target, in rules and in prompts. What prose calls it is left alone. */
export function renameRole(
  text: string,
  { role, to }: { role: string; to: string },
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    if (role === to) return [];
    const fault = nameFault(doc, to);
    if (fault !== null) return fault;
    if (treeAt(doc.tree, ["roles", role]) === undefined) return `there is no role ${role}`;
    const places = placesIn(doc);
    const targets = places
      .flatMap(({ names }) => names)
      .filter(({ name }) => name === role)
      .map(({ path }) => set(path, to));
    const mentions = expressionsIn(
      doc,
      places.map(({ path }) => path),
    ).flatMap(({ path, text: before }) => {
      const after = withRole(before, { from: role, to });
      return after === before ? [] : [set(path, after)];
    });
    const keys = [["roles"], ["graph"], ["agents"]]
      .filter((path) => treeAt(doc.tree, [...path, role]) !== undefined)
      .map((path): Step => ({ kind: "rename", path: [...path, role], to }));
    return [...targets, ...mentions, ...keys];
  });
}

/** Why a new role cannot have this name; null: it can. */
export function nameFault({ tree }: Doc, name: string): string | null {
  const fault = roleNameFault(name);
  if (fault !== null) return `${JSON.stringify(name)}: ${fault}`;
  const taken = new Set([...fieldsAt(tree, ["roles"]).keys(), ...fieldsAt(tree, ["graph"]).keys()]);
  return taken.has(name) ? `there is already a ${name}` : null;
}

/** At the end; nothing leads to it yet. */
export function addRole(
  text: string,
  { role, goal, player, to }: { role: string; goal: string; player: Player; to: string },
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const fault = nameFault(doc, role);
    if (fault !== null) return fault;
    const steps = [set(["roles", role], newRole(goal, player)), set(["graph", role], to)];
    const agent = player.kind === "agent" ? player.agent : null;
    return agent === null ? steps : [...steps, set(["agents", role], agent)];
  });
}

function newRole(goal: string, player: Player): JsonObject {
  const by: JsonObject = player.kind === "person" ? { by: "person" } : {};
  const properties = {
    said: {
      type: "string",
      description:
        player.kind === "person" ? "Your answer" : "What came of it, for whoever is next",
    },
  };
  return { ...by, goal, output: { type: "object", properties, required: ["said"] } };
}

/** With its rules. What led to it leads to where it led first, or to the end. */
export function removeRole(text: string, { role }: { role: string }): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const { tree } = doc;
    if (treeAt(tree, ["roles", role]) === undefined) return `there is no role ${role}`;
    if (fieldsAt(tree, ["roles"]).size === 1) return "it is the only role";
    const places = placesIn(doc);
    const inGroup = places.some(
      ({ path, names }) =>
        (path.includes("members") || textAt(tree, [...path, "group"]) !== null) &&
        names.some(({ name }) => name === role),
    );
    if (inGroup) return `${role} plays in a group`;
    const next =
      places
        .filter(({ from }) => from === role)
        .flatMap(({ names }) => names.map(({ name }) => name))
        .find((name) => name !== role && name !== "$SUSPEND") ?? "$END";
    const targets = places
      .filter(({ from }) => from !== role)
      .flatMap(({ names }) => names)
      .filter(({ name }) => name === role);
    if (next === "$END" && targets.some(({ path }) => path[1] === "$START")) {
      return `the thread begins with ${role}, and it leads to no other role`;
    }
    const removals = [
      ["graph", role],
      ["roles", role],
    ].filter((path) => treeAt(tree, path) !== undefined);
    return [
      ...targets.map(({ path }) => set(path, next)),
      ...removals.map((path): Step => ({ kind: "remove", path })),
      ...withoutAgent(doc, role),
    ];
  });
}

function withoutAgent({ tree }: Doc, role: string): Step[] {
  if (treeAt(tree, ["agents", role]) === undefined) return [];
  const isOnly = fieldsAt(tree, ["agents"]).size === 1;
  return [{ kind: "remove", path: isOnly ? ["agents"] : ["agents", role] }];
}

/** A role that changes between agents and people loses what only the one kind has. */
export function setPlayer(
  text: string,
  { role, player }: { role: string; player: Player },
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const path = ["roles", role];
    if (treeAt(doc.tree, path) === undefined) return `there is no role ${role}`;
    const isPerson = textAt(doc.tree, [...path, "by"]) === "person";
    if (player.kind === "person") {
      if (isPerson) return [];
      const lost = AGENTS_ONLY.filter((key) => treeAt(doc.tree, [...path, key]) !== undefined);
      return [
        ...lost.map((key): Step => ({ kind: "remove", path: [...path, key] })),
        set([...path, "by"], "person"),
        ...withoutAgent(doc, role),
      ];
    }
    const freed = isPerson ? ["by", "assignees"] : [];
    const steps = freed
      .filter((key) => treeAt(doc.tree, [...path, key]) !== undefined)
      .map((key): Step => ({ kind: "remove", path: [...path, key] }));
    if (isPerson && textAt(doc.tree, [...path, "goal"]) === null) {
      steps.unshift(set([...path, "goal"], `Do what the ${role} does`));
    }
    if (player.agent === null) return [...steps, ...withoutAgent(doc, role)];
    return [...steps, set(["agents", role], player.agent)];
  });
}

const AGENTS_ONLY = ["capabilities", "procedure", "tools", "requiredEvidence", "retry", "limits"];
