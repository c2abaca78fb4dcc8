import { expect, test } from "vitest";
import { graphOf, promptInWords, sentencesOf } from "./index.ts";

test("each {{ … }} is named for what will stand there; what is no field stays as it is written", () => {
  const words = (prompt: string) => promptInWords(prompt, "drafter");
  expect(words("Send {{ last.meta.text }} to {{ byRole.clerk.last.meta.`to whom` }}")).toBe(
    "Send [drafter: text] to [clerk: to whom]",
  );
  expect(words("{{ $count(steps) }} so far, {{ unclosed")).toBe(
    "{{ $count(steps) }} so far, {{ unclosed",
  );
});

test("a sentence tells what the next role is told, without a sign of how it is written", () => {
  const read = graphOf(`roles:
  drafter: { goal: Draft it, output: { type: object, properties: { text: { type: string } } } }
  reader: { by: person, goal: Read it, output: { type: object, properties: {} } }
graph:
  $START: { new: drafter }
  drafter: { role: reader, prompt: "Read this: {{ last.meta.text }}" }
  reader: { role: $SUSPEND, prompt: "What of {{ byRole.drafter.last.meta.text }}?" }
`);
  if (!read.ok) throw new Error(read.error.message);
  expect(sentencesOf(read.value).slice(2)).toEqual([
    "It begins with drafter.",
    "After drafter, reader is next, told: “Read this: [drafter: text]”.",
    "After reader, a person is asked: “What of [drafter: text]?”.",
  ]);
});
