import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureFrom } from "@uncaged/workflow-protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "./io.test.helper.ts";
import type { Given } from "./options.ts";
import { promptFileOption, promptOption, promptSource, readPrompt } from "./prompt.ts";

afterEach(() => vi.useRealTimers());

function given(options: { "--prompt"?: string; "--prompt-file"?: string }): Given {
  const raw = { options: new Map(Object.entries(options)), arguments: new Map(), rest: null };
  return (input) => input.read(raw);
}

describe("a prompt", () => {
  it("may come from only one place", () => {
    const both = given({ "--prompt": "a", "--prompt-file": "b" });
    expect([both(promptOption), both(promptFileOption)]).toEqual(["a", "b"]);
    expect(() => promptSource(both)).toThrow(/cannot be combined/);
  });

  it("is the given text, even an empty one, and stdin is left alone", async () => {
    const io = fakeIo({ stdin: "not this" });
    expect(await readPrompt(promptSource(given({ "--prompt": "do it" })), io)).toBe("do it");
    expect(await readPrompt(promptSource(given({ "--prompt": "" })), io)).toBe("");
  });

  it("is exactly the content of a file", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "uwf-prompt-")), "task.md");
    const text = "\ufeffline\r\n\u0000end\n";
    writeFileSync(file, text);
    expect(await readPrompt(promptSource(given({ "--prompt-file": file })), fakeIo({}))).toBe(text);
  });

  it("says which file it cannot read", async () => {
    const source = promptSource(given({ "--prompt-file": "missing.md" }));
    const thrown: unknown = await readPrompt(source, fakeIo({})).catch((cause: unknown) => cause);
    expect(failureFrom(thrown, "INTERNAL")).toMatchObject({
      code: "FILE_NOT_FOUND",
      message: '"/missing.md" is not there',
    });
  });

  it("is stdin, byte for byte, when given as a dash", async () => {
    const text = `${"ä".repeat(1001)}\u0000🙂`;
    for (const dash of [{ "--prompt": "-" }, { "--prompt-file": "-" }]) {
      expect(await readPrompt(promptSource(given(dash)), fakeIo({ stdin: text }))).toBe(text);
    }
  });

  it("is what is piped in when none is given, and empty when nothing is piped in", async () => {
    expect(await readPrompt(null, fakeIo({ stdin: "piped" }))).toBe("piped");
    expect(await readPrompt(null, fakeIo({}))).toBe("");
    const terminal = { kind: "terminal" as const, chunks: () => never() };
    expect(await readPrompt(null, fakeIo({ stdin: terminal }))).toBe("");
  });

  it("must be valid UTF-8", async () => {
    const io = fakeIo({ stdin: Uint8Array.of(0x68, 0xc3, 0x28) });
    const thrown: unknown = await readPrompt(null, io).catch((cause: unknown) => cause);
    expect(failureFrom(thrown, "INTERNAL")).toMatchObject({
      code: "USAGE",
      message: "stdin is not valid UTF-8",
    });
  });

  it("is not waited for forever on a pipe that nobody writes to", async () => {
    vi.useFakeTimers();
    const silent = { kind: "data" as const, chunks: () => never() };
    const prompt = readPrompt(null, fakeIo({ stdin: silent }));
    const refused = expect(prompt).rejects.toThrow(/nothing came on stdin within 5 s/);
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
  });
});

/** An iterable whose first chunk never comes. */
function never(): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
}
