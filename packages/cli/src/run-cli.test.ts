import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { fakeIo } from "./command/io.test.helper.ts";
import { failureOfThrown, renderFailure } from "./command/render-error.ts";
import { renderOutput } from "./command/render-output.ts";
import { runCli } from "./run-cli.ts";
import { styleOf } from "./terminal/style.ts";

const plain = styleOf({ color: false, columns: null });

describe("one call", () => {
  it("prints help on stdout and succeeds", async () => {
    const io = fakeIo({});
    expect(await runCli(["--help"], io)).toBe(0);
    expect(io.out()).toContain("Usage: uncaged-workflow");
    expect(io.err()).toBe("");
  });

  it("prints the version as text or as a document", async () => {
    const [text, json] = [fakeIo({}), fakeIo({})];
    expect(await runCli(["thread", "--version"], text)).toBe(2);
    expect(await runCli(["--json", "--version"], json)).toBe(0);
    expect(JSON.parse(json.out())).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it("complains on stderr, as one document with --json, and exits 2", async () => {
    const io = fakeIo({});
    expect(await runCli(["nonsense", "--json"], io)).toBe(2);
    expect(io.out()).toBe("");
    expect(JSON.parse(io.err())).toEqual({
      error: {
        code: "USAGE",
        message: "unknown command 'nonsense'",
        hint: "see: uncaged-workflow --help",
      },
    });
  });

  it("shows the help instead of a complaint where a command is missing", async () => {
    const io = fakeIo({});
    expect(await runCli(["thread"], io)).toBe(2);
    expect(io.out()).toBe("");
    expect(io.err()).toContain("Usage: uncaged-workflow thread");
  });

  it("refuses a malformed hash before it touches a path", async () => {
    const io = fakeIo({ env: { WORKFLOW_STORAGE_ROOT: "/nonexistent" } });
    expect(await runCli(["cas", "get", "../../etc/passwd", "--json"], io)).toBe(2);
    expect(io.err()).toContain("is not a hash");
  });
});

describe("a failure", () => {
  const reason = failure("LEASE_HELD", "thread x is run\u001b[2J", "wait for it");

  it("shows what happened, its code, and what to do next", () => {
    expect(renderFailure(reason, { json: false, style: plain })).toBe(
      "error: thread x is run␛[2J [LEASE_HELD]\nhint: wait for it\n",
    );
  });

  it("has no line for a missing hint", () => {
    const hintless = { ...reason, hint: "" };
    expect(renderFailure(hintless, { json: false, style: plain })).not.toContain("hint:");
  });

  it("is exact as JSON", () => {
    expect(JSON.parse(renderFailure(reason, { json: true, style: plain }))).toEqual({
      error: { code: "LEASE_HELD", message: "thread x is run\u001b[2J", hint: "wait for it" },
    });
  });

  it("that was thrown keeps its code", () => {
    expect(failureOfThrown(new WorkflowError(reason))).toEqual(reason);
  });

  it("that is unexpected says where it happened and how to report it", () => {
    const thrown = failureOfThrown(new TypeError("x is not a function"));
    expect(thrown.code).toBe("INTERNAL");
    expect(thrown.message).toMatch(/^x is not a function \(at .*run-cli\.test\.ts:\d+:\d+\)?\)$/);
    expect(thrown.hint).toContain("please report it");
  });

  it.each([
    ["EMFILE", "EMFILE: too many open files, open '/x/chunk.js'", "ulimit -n"],
    ["EIO", "EIO: i/o error, read", "check the disk"],
    ["ENOSPC", "ENOSPC: no space left on device, write", "free some disk space"],
    ["ERR_INVALID_PACKAGE_CONFIG", "Cannot read package config /x: too many open files.", "ulimit"],
    ["ERR_INVALID_PACKAGE_CONFIG", "Cannot read package config /x: i/o error.", "check the disk"],
    ["ERR_DLOPEN_FAILED", "cannot open shared object file: Too many open files", "ulimit -n"],
  ])("of the system (%s) is a storage failure, not a defect", (code, message, hint) => {
    expect(failureOfThrown(Object.assign(new Error(message), { code }))).toEqual({
      code: "STORAGE_FAILED",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it("to find a file, or to read its own manifest, is still a defect", () => {
    for (const code of ["ENOENT", "ERR_INVALID_PACKAGE_CONFIG"]) {
      const thrown = Object.assign(new Error("something with it"), { code });
      expect(failureOfThrown(thrown).code).toBe("INTERNAL");
    }
  });
});

describe("an output", () => {
  it("is one line of JSON, or text that ends with a line break", async () => {
    const [json, text] = [fakeIo({ json: true }), fakeIo({})];
    const output = { document: { hash: "A" }, human: () => "A" };
    await renderOutput(output, json);
    await renderOutput(output, text);
    expect([json.out(), text.out()]).toEqual(['{"hash":"A"}\n', "A\n"]);
    await renderOutput({ document: {}, human: () => "B\n" }, text);
    await renderOutput({ document: {}, human: () => "" }, text);
    expect(text.out()).toBe("A\nB\n");
  });

  it("adds nothing to what must be exact", async () => {
    const io = fakeIo({});
    await renderOutput({ document: {}, verbatim: "no newline\u0000\u001b" }, io);
    expect(io.out()).toBe("no newline\u0000\u001b");
  });

  it("shows terminal control characters instead of sending them, wherever they came from", async () => {
    const hostile = "\u001b]52;c;aGk=\u0007\u009b2J";
    const human = (style: typeof plain): string => `${style.red("no")} ${hostile}`;
    const [file, terminal] = [fakeIo({}), fakeIo({ color: true })];
    await renderOutput({ document: {}, human }, file);
    await renderOutput({ document: {}, human }, terminal);
    await renderOutput({ document: {}, verbatim: hostile }, terminal);
    expect(file.out()).toBe("no ␛]52;c;aGk=␇\\u009b2J\n");
    expect(terminal.out()).toBe(
      "\u001b[31mno\u001b[39m ␛]52;c;aGk=␇\\u009b2J\n␛]52;c;aGk=␇\\u009b2J",
    );
  });

  it("is coloured only where colours are wanted", async () => {
    const [bare, terminal] = [fakeIo({}), fakeIo({ color: true })];
    const output = { document: {}, human: (style: typeof plain) => style.red("no") };
    await renderOutput(output, bare);
    await renderOutput(output, terminal);
    expect([bare.out(), terminal.out()]).toEqual(["no\n", "\u001b[31mno\u001b[39m\n"]);
  });
});
