import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applied, composed, type Edit, edited, inverse, newDraft, redone, undone } from "./edit.ts";

const RUNS = { numRuns: Number(process.env.UNCAGED_TEST_TEXTS ?? 100) };

const text = fc.string({ maxLength: 40 });

/** Splices that are apart, for a text of this length. */
function edits(length: number): fc.Arbitrary<Edit> {
  const places = fc.uniqueArray(fc.nat({ max: length }), { maxLength: 6 });
  return fc.tuple(places, fc.array(fc.string({ maxLength: 5 }))).map(([found, inserts]) => {
    const sorted = found.toSorted((a, b) => a - b);
    const pairs = sorted.flatMap((from, at) => {
      const to = sorted[at + 1];
      return at % 2 === 0 && to !== undefined ? [{ from, to, insert: inserts[at] ?? "" }] : [];
    });
    return pairs;
  });
}

const twice = text.chain((before) =>
  edits(before.length).chain((first) =>
    edits(applied(before, first).length).map((second) => ({ before, first, second })),
  ),
);

describe("an edit", () => {
  it("is undone by its inverse", () => {
    fc.assert(
      fc.property(twice, ({ before, first }) => {
        expect(applied(applied(before, first), inverse(before, first))).toBe(before);
      }),
      RUNS,
    );
  });

  it("that is composed of two does what both do", () => {
    fc.assert(
      fc.property(twice, ({ before, first, second }) => {
        const after = applied(applied(before, first), second);
        expect(applied(before, composed(first, second))).toBe(after);
      }),
      RUNS,
    );
  });
});

describe("a draft", () => {
  it("is undone and done again, whatever its edits came from", () => {
    fc.assert(
      fc.property(twice, fc.boolean(), ({ before, first, second }, isTyped) => {
        const kind = isTyped ? "typed" : "operation";
        const start = newDraft(before);
        const done = edited(edited(start, first, "operation"), second, kind);
        let back = done;
        while (back.past.length > 0) back = undone(back);
        expect(back.text).toBe(before);
        let again = back;
        while (again.future.length > 0) again = redone(again);
        expect(again.text).toBe(done.text);
      }),
      RUNS,
    );
  });

  it("takes letters that follow each other back at once, line by line", () => {
    let draft = newDraft("a");
    for (const [at, letter] of [..."bc\nd"].entries()) {
      draft = edited(draft, [{ from: at + 1, to: at + 1, insert: letter }], "typed");
    }
    expect(draft.text).toBe("abc\nd");
    expect(undone(draft).text).toBe("abc\n");
    expect(undone(undone(draft)).text).toBe("a");
  });
});
