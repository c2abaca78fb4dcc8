import { expect, it } from "vitest";
import { StepRecord } from "./step-record.ts";

it("a step's record holds no secret in its notes, and a bounded number of them", () => {
  const start = { agent: { name: "fake", version: "1" }, cwd: "/" };
  const record = new StepRecord(start, (text) => text.replaceAll("s3cret", "[KEY]"));
  for (let at = 0; at < 100; at++) record.note(`note ${at}: s3cret`);
  const { notes } = record.run({ hashes: [], dropped: 3 });
  expect(notes).toHaveLength(21);
  expect(notes?.[0]).toBe("note 0: [KEY]");
  expect(notes?.at(-1)).toBe("3 tool calls more were seen and not kept");
});
