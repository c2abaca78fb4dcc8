import { describe, expect, it } from "vitest";
import { repetition } from "./repetition.ts";

const call = (
  args: string,
  output = "same",
): Parameters<ReturnType<typeof repetition>["note"]>[0] => ({
  name: "shell_exec",
  arguments: args,
  output,
});

describe("repetition", () => {
  it("warns a model that repeats one call, then calls it a runaway", () => {
    const { note } = repetition();
    const senses = Array.from({ length: 9 }, () => note(call("a")));
    expect(senses).toEqual([
      ...Array.from({ length: 3 }, () => "fresh"),
      ...Array.from({ length: 5 }, () => "told"),
      "runaway",
    ]);
  });

  it("recognizes one that cycles through several calls", () => {
    const { note } = repetition();
    const senses = Array.from({ length: 10 }, (_, at) => note(call(at % 2 === 0 ? "a" : "b")));
    expect(senses.at(-1)).toBe("runaway");
  });

  it("lets tests be run again after each edit, whatever their result", () => {
    const { note } = repetition();
    const senses = Array.from({ length: 40 }, (_, at) =>
      note(at % 2 === 0 ? call(`edit ${at}`) : call("npm test")),
    );
    expect(new Set(senses)).toEqual(new Set(["fresh"]));
  });

  it("counts a call whose result changes as fresh", () => {
    const { note } = repetition();
    const senses = Array.from({ length: 20 }, (_, at) => note(call("status", String(at))));
    expect(new Set(senses)).toEqual(new Set(["fresh"]));
  });
});
