import { ok } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import type { Command, CommandEntry } from "./command/command.ts";
import { countOption, optionalArgument, requiredArgument, textOption } from "./command/options.ts";
import { type CommandLine, parseCommandLine } from "./parse-command-line.ts";

const name = requiredArgument("name", "a name");
const other = optionalArgument("other", "another name");
const prompt = textOption("-p, --prompt <text>", "a prompt");
const limit = countOption("--limit <n>", "a limit", { atLeast: 1 });

function command(loaded: string[], called: string): Command {
  loaded.push(called);
  return {
    description: `does ${called}`,
    arguments: [name, other],
    options: [prompt, limit],
    example: "demo --limit 3",
    run: async () => ok({ streamed: true }),
  };
}

/** Two commands and a group, which record that they were loaded. */
function entries(loaded: string[] = []): CommandEntry[] {
  return [
    {
      name: "thread",
      summary: "threads",
      loadGroup: async () => ({
        commands: { list: command(loaded, "list"), show: command(loaded, "show") },
      }),
    },
    { name: "run", summary: "runs", load: async () => command(loaded, "run") },
    { name: "live", summary: "watches", load: async () => command(loaded, "live") },
  ];
}

const parse = (...words: string[]): Promise<CommandLine> => parseCommandLine(words, entries());

async function usageError(...words: string[]): Promise<{ message: string; hint: string }> {
  const line = await parse(...words);
  if (line.kind !== "usageError") throw new Error(`it is a ${line.kind}`);
  expect(line.failure.code).toBe("USAGE");
  return line.failure;
}

describe("a command line", () => {
  it("returns the command and its input", async () => {
    const line = await parse("thread", "list", "demo", "--limit", "3", "-p", "--json");
    if (line.kind !== "call") throw new Error(line.kind);
    expect(line.command.description).toBe("does list");
    expect(line.given(name)).toBe("demo");
    expect(line.given(other)).toBeNull();
    expect(line.given(limit)).toBe(3);
    expect(line.given(prompt)).toBe("--json");
    expect(line.json).toBe(false);
  });

  it("takes --json before and after the command", async () => {
    for (const words of [
      ["--json", "thread", "list", "a"],
      ["thread", "list", "a", "--json"],
    ]) {
      expect(await parse(...words)).toMatchObject({ kind: "call", json: true });
    }
  });

  it("takes what follows -- as arguments", async () => {
    const line = await parse("run", "--", "--json", "-p");
    if (line.kind !== "call") throw new Error(line.kind);
    expect([line.given(name), line.given(other)]).toEqual(["--json", "-p"]);
    expect(line.json).toBe(false);
  });

  it("loads only what is called", async () => {
    const loaded: string[] = [];
    await parseCommandLine(["run", "demo"], entries(loaded));
    expect(loaded).toEqual(["run"]);
    await parseCommandLine(["--help"], entries(loaded));
    expect(loaded).toEqual(["run"]);
  });

  it("refuses an input that the command does not declare, because that is a defect", async () => {
    const line = await parse("run", "demo");
    if (line.kind !== "call") throw new Error(line.kind);
    expect(() => line.given(textOption("--prompt <text>", "not the same"))).toThrow(
      /does not declare/,
    );
  });
});

describe("a command line that is wrong", () => {
  it("suggests the nearest command", async () => {
    expect(await usageError("thraed")).toMatchObject({
      message: "unknown command 'thraed'",
      hint: "did you mean thread? see: uncaged-workflow --help",
    });
    expect(await usageError("thread", "lst")).toMatchObject({
      message: "unknown command 'lst'",
      hint: "did you mean list? see: uncaged-workflow thread --help",
    });
  });

  it("names what is missing, superfluous or unknown, and where to look", async () => {
    const see = "see: uncaged-workflow run --help";
    expect(await usageError("run")).toEqual({
      code: "USAGE",
      message: "missing required argument 'name'",
      hint: see,
    });
    expect((await usageError("run", "a", "b", "c")).message).toMatch(/^too many arguments/);
    expect(await usageError("run", "a", "--limt", "3")).toMatchObject({
      message: "unknown option '--limt'",
      hint: `did you mean --limit? ${see}`,
    });
    expect((await usageError("run", "a", "--limit")).message).toBe(
      "option '--limit <n>' argument missing",
    );
  });

  it("does not mistake properties that every object has for commands", async () => {
    for (const word of ["__proto__", "constructor", "toString"]) {
      expect((await usageError(word)).message).toBe(`unknown command '${word}'`);
      expect((await usageError("thread", word)).message).toBe(`unknown command '${word}'`);
    }
  });

  it("knows that JSON is wanted even when parsing fails", async () => {
    expect(await parse("run", "--json", "--nope")).toMatchObject({
      kind: "usageError",
      json: true,
    });
    expect(await parse("run", "--nope", "--", "--json")).toMatchObject({ json: false });
  });

  it("shows the help of a group that was called without a command", async () => {
    const line = await parse("thread");
    if (line.kind !== "usageError") throw new Error(line.kind);
    expect(line.failure.message).toBe("a command is missing");
    expect(line.help).toContain("Usage: uncaged-workflow thread");
  });
});

describe("help", () => {
  it("lists every command, and shows an example with each", async () => {
    const root = await parse("--help");
    expect(root).toMatchObject({ kind: "help" });
    if (root.kind === "help") expect(root.text).toMatch(/thread[\s\S]*run[\s\S]*live/);
    const run = await parse("run", "--help");
    if (run.kind !== "help") throw new Error(run.kind);
    expect(run.text).toContain("$ uncaged-workflow run demo --limit 3");
  });

  it("is also a word before the command", async () => {
    expect(await parse("help", "thread", "list")).toEqual(await parse("thread", "list", "--help"));
  });

  it("is not needed for the version", async () => {
    expect(await parse("--version", "--json")).toEqual({ kind: "version", json: true });
    expect(await parse("-V")).toEqual({ kind: "version", json: false });
  });
});
