/** Every place of the graph that leads somewhere, whatever its shape. */
import type { Doc } from "../document.ts";
import { fieldsAt, isFields, isList, type Path, type Tree, treeAt } from "../tree.ts";

export type Place = {
  /** The target: a name, or a mapping. */
  path: Path;
  from: string;
  /** Where the name of the role is. */
  names: { path: Path; name: string }[];
};

export function placesIn({ tree }: Doc): Place[] {
  const places: Place[] = [];
  const add = (from: string, path: Path, target: Tree): void => {
    if (typeof target === "string") places.push({ path, from, names: [{ path, name: target }] });
    else if (isFields(target)) places.push({ path, from, names: namesIn(path, target) });
  };
  for (const [from, entry] of fieldsAt(tree, ["graph"])) {
    const base: Path = ["graph", from];
    if (isList(entry)) for (const [at, rule] of entry.entries()) add(from, [...base, at], rule);
    else if (!isFields(entry) || (from !== "$START" && (entry.has("role") || entry.has("group"))))
      add(from, base, entry);
    else for (const [key, target] of entry) add(from, [...base, key], target);
  }
  // The members of a group are told things of their own.
  return places.flatMap((place) => [place, ...membersOf(tree, place)]);
}

function namesIn(path: Path, target: ReadonlyMap<string, Tree>): Place["names"] {
  const role = target.get("role");
  return typeof role === "string" ? [{ path: [...path, "role"], name: role }] : [];
}

function membersOf(tree: Tree, { path, from }: Place): Place[] {
  const members = treeAt(tree, [...path, "members"]);
  if (!isList(members)) return [];
  return members.flatMap((member, at) => {
    const place: Path = [...path, "members", at];
    return isFields(member) ? [{ path: place, from, names: namesIn(place, member) }] : [];
  });
}
