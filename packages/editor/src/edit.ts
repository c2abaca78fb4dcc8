/** Changes of a text as splices, and how they are composed, undone and done again. */

/** Offsets into the text before the edit; `to` is behind the last character that goes. */
export type Splice = { from: number; to: number; insert: string };

/** In text order, without overlaps: all of them are about the same text. */
export type Edit = readonly Splice[];

export function applied(text: string, edit: Edit): string {
  let from = 0;
  let result = "";
  for (const splice of edit) {
    result += text.slice(from, splice.from) + splice.insert;
    from = splice.to;
  }
  return result + text.slice(from);
}

/** The edit that turns the edited text back to `text`. */
export function inverse(text: string, edit: Edit): Edit {
  let shift = 0;
  return edit.map(({ from, to, insert }) => {
    const start = from + shift;
    shift += insert.length - (to - from);
    return { from: start, to: start + insert.length, insert: text.slice(from, to) };
  });
}

/** One edit that does what both do, one after the other. */
export function composed(first: Edit, second: Edit): Edit {
  let pieces = piecesOf(first);
  // From the back, so that the places of those before stay right.
  for (const splice of second.toReversed()) pieces = spliced(pieces, splice);
  return editOf(pieces);
}

/** What the new text is made of: a part of the old one, or an insertion. */
type Piece = { kind: "kept"; from: number; to: number } | { kind: "new"; text: string };

/** Behind everything that a text can have. */
const END = Number.MAX_SAFE_INTEGER;

function piecesOf(edit: Edit): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const splice of edit) {
    pieces.push({ kind: "kept", from, to: splice.from }, { kind: "new", text: splice.insert });
    from = splice.to;
  }
  pieces.push({ kind: "kept", from, to: END });
  return pieces.filter((piece) => lengthOf(piece) > 0);
}

function lengthOf(piece: Piece): number {
  return piece.kind === "new" ? piece.text.length : piece.to - piece.from;
}

function spliced(pieces: readonly Piece[], { from, to, insert }: Splice): Piece[] {
  const result: Piece[] = [];
  let at = 0;
  let isIn = false;
  const add = (): void => {
    if (!isIn && insert !== "") result.push({ kind: "new", text: insert });
    isIn = true;
  };
  for (const piece of pieces) {
    const length = lengthOf(piece);
    const [start, end] = [Math.max(0, from - at), Math.min(length, to - at)];
    if (at >= from) add();
    if (start >= length || end <= 0) {
      result.push(piece);
    } else {
      result.push(part(piece, 0, start));
      add();
      result.push(part(piece, end, length));
    }
    at += length;
  }
  add();
  return result.filter((piece) => lengthOf(piece) > 0);
}

function part(piece: Piece, start: number, end: number): Piece {
  return piece.kind === "new"
    ? { kind: "new", text: piece.text.slice(start, end) }
    : { kind: "kept", from: piece.from + start, to: piece.from + end };
}

function editOf(pieces: readonly Piece[]): Edit {
  const edit: Splice[] = [];
  let from = 0;
  let insert = "";
  for (const piece of pieces) {
    if (piece.kind === "new") {
      insert += piece.text;
      continue;
    }
    if (insert !== "" || piece.from > from) edit.push({ from, to: piece.from, insert });
    from = piece.to;
    insert = "";
  }
  return edit;
}

/** A text that is being worked on, with all that was done to it. */
export type Draft = { text: string; past: readonly Done[]; future: readonly Done[] };

/** `back` undoes `edit`. */
type Done = { edit: Edit; back: Edit; kind: "operation" | "typed" };

export function newDraft(text: string): Draft {
  return { text, past: [], future: [] };
}

/** What is typed in one place without a pause is undone at once. */
export function edited(draft: Draft, edit: Edit, kind: "operation" | "typed"): Draft {
  if (edit.length === 0) return draft;
  const text = applied(draft.text, edit);
  const back = inverse(draft.text, edit);
  const last = draft.past.at(-1);
  if (kind === "typed" && last?.kind === "typed" && goesOn(last.edit, edit)) {
    const whole = {
      edit: composed(last.edit, edit),
      back: composed(back, last.back),
      kind,
    };
    return { text, past: [...draft.past.slice(0, -1), whole], future: [] };
  }
  return { text, past: [...draft.past, { edit, back, kind }], future: [] };
}

export function undone({ text, past, future }: Draft): Draft {
  const last = past.at(-1);
  if (last === undefined) return { text, past, future };
  return { text: applied(text, last.back), past: past.slice(0, -1), future: [...future, last] };
}

export function redone({ text, past, future }: Draft): Draft {
  const next = future.at(-1);
  if (next === undefined) return { text, past, future };
  return { text: applied(text, next.edit), past: [...past, next], future: future.slice(0, -1) };
}

/** Letters behind the letters before, within a line. */
function goesOn(before: Edit, after: Edit): boolean {
  const [last, ...others] = before;
  const [next, ...more] = after;
  if (last === undefined || next === undefined || others.length > 0 || more.length > 0) {
    return false;
  }
  return (
    next.from === next.to &&
    next.from === last.from + last.insert.length &&
    !last.insert.endsWith("\n")
  );
}
