/** How long an expression becomes in its parser, which duplicates the left side of `?:` and `??`, so that nested
 *  ones are written four times, eight times …: a few lines can become gigabytes. An upper bound from brackets and
 *  operators alone; what only looks like one counts too. */
export function parsedChars(text: string): number {
  const open: Group[] = [];
  let group: Group = { most: 0, inLeft: 0 };
  for (const [mark] of text.matchAll(/[([{]|[)\]}]|\?[?:]/gu)) {
    if ("([{".includes(mark)) {
      open.push(group);
      group = { most: 0, inLeft: 0 };
    } else if (mark.startsWith("?")) {
      group = { most: Math.max(group.most, group.inLeft + 1), inLeft: 0 };
    } else {
      const inside = Math.max(group.most, group.inLeft);
      group = open.pop() ?? { most: 0, inLeft: 0 };
      group.inLeft = Math.max(group.inLeft, inside);
    }
  }
  const doublings = [...open, group].reduce(
    (sum, { most, inLeft }) => sum + Math.max(most, inLeft),
    0,
  );
  return text.length * 2 ** doublings;
}

/** How often text in a pair of brackets is doubled: at most, and before the next operator. */
type Group = { most: number; inLeft: number };
