/** Each package after those that it needs; otherwise in the order in which they were given. Throws when two need each
 *  other. */
export function inOrder(packages) {
  const byName = new Map(packages.map((each) => [each.name, each]));
  const placed = new Set();
  const open = new Set();
  const place = (each) => {
    if (placed.has(each)) return;
    if (open.has(each)) throw new Error(`${each.name} needs itself, by way of others`);
    open.add(each);
    for (const need of each.needs) {
      const needed = byName.get(need);
      if (needed !== undefined) place(needed);
    }
    placed.add(each);
  };
  for (const each of packages) place(each);
  return [...placed];
}
