import { describe, expect, it } from "vitest";
import { printable, printableLine } from "./printable.ts";

describe("text for a terminal", () => {
  it("shows control characters instead of obeying them", () => {
    expect(printable("\u001b[2J\u0007gone\u009b31m\u007f")).toBe("␛[2J␇gone\\u009b31m␡");
  });

  it("keeps line feeds, tabs and every ordinary character", () => {
    expect(printable("a\tb\nç 漢字 🙂\r\nend")).toBe("a\tb\nç 漢字 🙂\nend");
  });

  it("shows a lone carriage return, which would overwrite the line", () => {
    expect(printable("safe\revil")).toBe("safe␍evil");
  });

  it("shows the marks that reverse a line's direction", () => {
    expect(printable("user\u202egpj.exe")).toBe("user\\u202egpj.exe");
  });

  it("joins lines into one, and cuts between characters", () => {
    expect(printableLine("  one\n\ttwo  ", 20)).toBe("one two");
    expect(printableLine("🙂🙂🙂🙂", 3)).toBe("🙂🙂…");
    expect(printableLine("x".repeat(5_000_000), 5)).toBe("xxxx…");
  });
});
