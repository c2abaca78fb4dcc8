import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { textEmitter } from "./emit-text.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("textEmitter", () => {
  it("combines lines that arrive together into one event", () => {
    const emit = vi.fn();
    const text = textEmitter(emit);
    text.line({ text: "a" });
    text.line({ text: "b" });
    expect(emit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    text.line({ text: "c" });
    text.close();
    text.close();
    expect(emit.mock.calls).toEqual([
      [{ type: "text", text: "a\nb\n" }],
      [{ type: "text", text: "c\n" }],
    ]);
  });

  it("emits the beginning of a flood, and says how much more there was", () => {
    const emit = vi.fn();
    const text = textEmitter(emit, { maxChars: 10 });
    for (let line = 0; line < 1_000; line++) text.line({ text: "12345678" });
    vi.advanceTimersByTime(100);
    expect(emit).toHaveBeenCalledExactlyOnceWith({
      type: "text",
      text: "12345678\n12345678\n[… 998 more lines …]\n",
    });
  });
});
