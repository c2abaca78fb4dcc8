import { isMap, isScalar, isSeq, visit, type YAMLMap } from "yaml";
import type { Item } from "./item.ts";

/** Group name → the roles of its members. */
export type NamedGroups = ReadonlyMap<string, ReadonlySet<string>>;

/** The groups that rules of a graph name, before the graph is read: an entry is read by what leads to it. */
export function namedGroups({ node }: Item): NamedGroups {
  const groups = new Map<string, Set<string>>();
  if (node === null) return groups;
  visit(node, {
    Map: (_key, map) => {
      const name = textAt(map, "group");
      if (name === null) return;
      const roles = groups.get(name) ?? new Set<string>();
      groups.set(name, roles);
      for (const each of [map, ...membersAt(map)]) {
        const role = textAt(each, "role");
        if (role !== null) roles.add(role);
      }
    },
  });
  return groups;
}

function membersAt(map: YAMLMap): YAMLMap[] {
  const members: unknown = map.get("members", true);
  return isSeq(members) ? members.items.filter((each): each is YAMLMap => isMap(each)) : [];
}

function textAt(map: YAMLMap, key: string): string | null {
  const value: unknown = map.get(key, true);
  return isScalar(value) && typeof value.value === "string" ? value.value : null;
}
