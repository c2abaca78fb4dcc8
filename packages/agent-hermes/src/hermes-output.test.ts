import { describe, expect, it } from "vitest";
import { hermesAnswer, hermesSession, sessionGone } from "./hermes-output.ts";

const ID = "20260919_202407_57384d";

describe("hermesAnswer", () => {
  it("is stdout, if nothing leaks into it", () => {
    expect(hermesAnswer('It is done.\n\n{"ok":true}\n')).toBe('It is done.\n\n{"ok":true}');
  });

  it("leaves out frames, reasoning, previews of tools and lines about the session", () => {
    const stdout = [
      `↻ Resumed session ${ID} (1 user message, 2 total messages)`,
      "┌─ Reasoning ──────┐",
      '│ Let me think: {"ok":false}',
      "└──────────────────┘",
      "  ┊ 💻 $ npm test  0.4s",
      "╭─⚕ Hermes─────────╮",
      "│ It is done.      │",
      "╰──────────────────╯",
      "\u001b[1mIt is done.\u001b[0m",
      "",
      `session_id: ${ID}`,
    ].join("\n");
    expect(hermesAnswer(stdout)).toBe("It is done.");
  });

  it("is all of it when a frame is never closed", () => {
    expect(hermesAnswer("┌ not a frame\nthe answer")).toBe("┌ not a frame\nthe answer");
  });
});

describe("hermesSession", () => {
  it("is the id on stderr, in old versions on stdout", () => {
    expect(hermesSession({ stdout: "Hello", stderr: `note\nsession_id: ${ID}\n` })).toBe(ID);
    expect(hermesSession({ stdout: `Hello\nsession_id: ${ID}\n`, stderr: "" })).toBe(ID);
  });

  it("is not a word of a sentence about sessions", () => {
    const stderr = "session_id: from\nUse a session_id: 20260919 from the list\n";
    expect(hermesSession({ stdout: "", stderr })).toBeNull();
  });
});

describe("sessionGone", () => {
  it.each([
    `Session not found: ${ID}`,
    `Session ${ID} found but has no messages. Starting fresh.`,
    `loading\n⚠ Session not found: ${ID}`,
  ])("is recognized in: %s", (words) => {
    expect(sessionGone({ stdout: "", stderr: words })).toBe(true);
    expect(sessionGone({ stdout: words, stderr: "" })).toBe(true);
  });

  it("is not recognized in an answer about sessions", () => {
    const stdout = "The test says: Session not found is what users see.";
    expect(sessionGone({ stdout, stderr: "" })).toBe(false);
  });
});
