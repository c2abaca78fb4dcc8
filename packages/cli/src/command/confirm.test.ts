import { expect, it } from "vitest";
import { confirmed } from "./confirm.ts";
import { fakeIo } from "./io.test.helper.ts";
import type { Input } from "./io.ts";

const typed = (text: string): Input => ({
  kind: "terminal",
  chunks: async function* () {
    for (const letter of text) yield Buffer.from(letter);
  },
});

it("only yes is yes, and the end of the input is no", async () => {
  for (const [text, yes] of [
    ["y\n", true],
    ["YES\n", true],
    [" y \r\nn\n", true],
    ["\n", false],
    ["n\n", false],
    ["yeah\n", false],
    ["", false],
  ] as const) {
    const io = fakeIo({ stdin: typed(text), color: true });
    expect(await confirmed("Go on?", io), JSON.stringify(text)).toBe(yes);
    expect(io.err()).toBe("Go on? [y/N] ");
    expect(io.out()).toBe("");
  }
});

it("does not ask without a terminal", async () => {
  for (const io of [fakeIo({ stdin: "n\n", color: true }), fakeIo({ stdin: typed("n\n") })]) {
    expect(await confirmed("Go on?", io)).toBe(true);
    expect(io.err()).toBe("");
  }
});
