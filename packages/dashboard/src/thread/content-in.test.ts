import { expect, test } from "vitest";
import { contentIn } from "./content-in.ts";

test("the text of a content node, and other blobs as they are", () => {
  expect(contentIn('type: "content"\npayload: "two\\nlines"\nrefs: []\n')).toBe("two\nlines");
  const state = 'type: "state"\npayload: {"role":"a"}\nrefs: []\n';
  expect(contentIn(state)).toBe(state);
  expect(contentIn("no node")).toBe("no node");
});
