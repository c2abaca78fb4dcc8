/** How long an expression is for its parser, which writes the left side of `?:` and of `??` out twice, and what
 *  stands inside it four times, eight times …: a few lines can stand for gigabytes. An upper bound, read off the
 *  brackets and the operators alone; what only looks like one counts, too. */
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

/** How often text within a pair of brackets is doubled: at most, and what stands before the next operator. */
type Group = { most: number; inLeft: number };
