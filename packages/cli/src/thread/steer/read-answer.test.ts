import { failureFrom } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { formFields } from "../view/form-fields.ts";
import { readAnswer } from "./read-answer.ts";

const FORM = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    comment: { type: "string" },
    points: { type: "integer" },
    next: { enum: ["ship", "wait"] },
    tags: { type: "array", items: { type: "string" } },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  required: ["approved", "next"],
};

const refused = (...words: string[]): string => {
  try {
    return JSON.stringify(readAnswer(FORM, words));
  } catch (thrown) {
    return failureFrom(thrown, "INTERNAL").message;
  }
};

describe("an answer on a command line", () => {
  it("is read by the types of its form", () => {
    const words = ["approved=yes", "comment=3 = three", "points=4", "next=ship", 'tags=["a"]'];
    expect(readAnswer(FORM, words)).toEqual({
      ...{ approved: true, comment: "3 = three", points: 4, next: "ship", tags: ["a"] },
    });
    expect(readAnswer(FORM, ["approved=false", "note=null"])).toEqual({
      approved: false,
      note: "null",
    });
  });

  it("keeps what it cannot read as text, for the form's own check to name", () => {
    expect(readAnswer(FORM, ["points=many", "other=1", "approved=perhaps"])).toEqual({
      ...{ points: "many", other: 1, approved: "perhaps" },
    });
  });

  it("may be one JSON object", () => {
    expect(readAnswer(FORM, ['{ "approved": true }'])).toEqual({ approved: true });
    expect(refused("{ approved }")).toContain("not one JSON object");
    expect(refused('{"approved":true}', "next=ship")).toContain("not one JSON object");
  });

  it("is refused when a word is not a field", () => {
    expect(refused("yes")).toBe('"yes" is not field=value');
    expect(refused("=yes")).toBe('"=yes" is not field=value');
  });
});

it("a form is shown as the words of a command, with what may be left out in brackets", () => {
  expect(formFields(FORM)).toBe(
    " approved=<true|false> [comment=<text>] [points=<number>] next=<ship|wait> [tags=<JSON>] [note=<text|null>]",
  );
  expect(formFields({})).toBe("");
});
