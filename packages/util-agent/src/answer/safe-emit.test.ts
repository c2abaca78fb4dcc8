import type { AgentEvent } from "@uncaged/workflow-protocol";
import { redactor } from "@uncaged/workflow-util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { safeEmit } from "./safe-emit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SECRET = "s3cret-value";
const redact = redactor({ env: { A_KEY: SECRET } });

function emitted(pieces: readonly string[]): string[] {
  const events: AgentEvent[] = [];
  const { emit, close } = safeEmit((event) => events.push(event), redact);
  for (const text of pieces) emit({ type: "text", text });
  close();
  return events.map((event) => (event.type === "text" ? event.text : ""));
}

describe("safeEmit", () => {
  // The first property test in a process takes a second to load its library, more on a busy machine.
  it("returns every character once, in order, however the text is cut", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
        expect(emitted(pieces).join("")).toBe(redact(pieces.join("")));
      }),
    );
  });

  it("finds a secret that is cut anywhere", () => {
    for (let at = 1; at < SECRET.length; at++) {
      const text = emitted([`the key: ${SECRET.slice(0, at)}`, `${SECRET.slice(at)} it is`]).join(
        "",
      );
      expect(text).toBe("the key: [A_KEY] it is");
    }
  });

  it("does not hold a word back for long", () => {
    const events: AgentEvent[] = [];
    const { emit } = safeEmit((event) => events.push(event), redact);
    emit({ type: "text", text: "almost done" });
    expect(events).toEqual([{ type: "text", text: "almost " }]);
    vi.advanceTimersByTime(300);
    expect(events.at(-1)).toEqual({ type: "text", text: "done" });
  });

  it("finds a secret that another event or a pause splits in two", () => {
    const events: AgentEvent[] = [];
    const { emit, close } = safeEmit((event) => events.push(event), redact);
    emit({ type: "text", text: "the key: s3cret" });
    emit({ type: "tool", phase: "end", id: "1", name: "look", ok: true });
    vi.advanceTimersByTime(10_000);
    emit({ type: "text", text: "-value it is\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq" });
    vi.advanceTimersByTime(10_000);
    emit({ type: "text", text: "hkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n" });
    close();
    expect(events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")).toBe(
      "the key: [A_KEY] it is\n[PRIVATE KEY]\n",
    );
  });

  it("keeps the order of text and other events", () => {
    const events: AgentEvent[] = [];
    const { emit } = safeEmit((event) => events.push(event), redact);
    emit({ type: "text", text: "done" });
    emit({ type: "end", outcome: "crashed", reason: SECRET });
    expect(events).toEqual([
      { type: "text", text: "done" },
      { type: "end", outcome: "crashed", reason: "[A_KEY]" },
    ]);
  });
});
