import { WorkflowError } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  choiceOption,
  countOption,
  durationOption,
  nameIn,
  type Option,
  switchOption,
  textOption,
} from "./options.ts";

/** The option's value for this input. */
function read<T>(option: Option<T>, value: unknown): T {
  const options = new Map([[nameIn(option.flags), value]]);
  return option.read({ options, arguments: new Map(), rest: null });
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof WorkflowError) return `${thrown.failure.code}: ${thrown.failure.message}`;
  }
  return "accepted";
}

describe("options", () => {
  it("are null or off when they were not given", () => {
    expect(read(textOption("-p, --prompt <text>", ""), undefined)).toBeNull();
    expect(read(countOption("--limit <n>", "", { atLeast: 1 }), undefined)).toBeNull();
    expect(read(choiceOption("--status <s>", "", ["idle"]), undefined)).toBeNull();
    expect(read(durationOption("--grace <d>", ""), undefined)).toBeNull();
    expect(read(switchOption("--wait", ""), undefined)).toBe(false);
  });

  it("parse a count, and refuse what only looks like one", () => {
    const limit = countOption("--limit <n>", "", { atLeast: 1 });
    expect(read(limit, "10")).toBe(10);
    expect(read(limit, "1")).toBe(1);
    for (const text of ["0", "-1", "1.5", "1e3", "0x10", " 1", "", "99999999999999999999"]) {
      expect(refusal(() => read(limit, text))).toBe(
        `USAGE: --limit must be a whole number, 1 or more; it was ${JSON.stringify(text)}`,
      );
    }
  });

  it("parse a duration in one unit", () => {
    const grace = durationOption("--grace <duration>", "");
    const texts = ["0", "90s", "15m", "2h", "7d"];
    expect(texts.map((text) => read(grace, text))).toEqual([
      0, 90_000, 900_000, 7_200_000, 604_800_000,
    ]);
    for (const text of ["90", "1w", "-1s", "1h30m", "s", "9999999s"]) {
      expect(refusal(() => read(grace, text))).toMatch(/^USAGE: --grace must be a duration/);
    }
  });

  it("accept only the declared choices, not properties that every object has", () => {
    const status = choiceOption("--status <status>", "", ["idle", "running"]);
    expect(read(status, "idle")).toBe("idle");
    expect(refusal(() => read(status, "constructor"))).toBe(
      'USAGE: --status must be one of idle, running, not "constructor"',
    );
  });
});
