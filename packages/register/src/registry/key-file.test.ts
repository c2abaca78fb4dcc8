import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Environment, variablesOf } from "./key-file.ts";

let root = "";
let file = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "key-file-"));
  file = join(root, ".env");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function value(name: string, env: Environment = {}): unknown {
  const found = variablesOf(root, env)(name);
  return found.ok ? found.value : found.error;
}

it("looks in the environment first, then in the file", () => {
  expect(value("KEY")).toBeNull();
  writeFileSync(file, "KEY=sk-file\nEMPTY=\n", { mode: 0o600 });
  expect(value("KEY")).toBe("sk-file");
  expect(value("KEY", { KEY: "sk-real" })).toBe("sk-real");
  expect(value("KEY", { KEY: "" })).toBe("sk-file");
  expect(value("EMPTY")).toBeNull();
  expect(value("toString")).toBeNull();
});

it.each([0o640, 0o604, 0o620, 0o610])(
  "refuses a file of mode %o, with the command that fixes it",
  (mode) => {
    writeFileSync(file, "KEY=sk-file-secret\n");
    chmodSync(file, mode);
    expect(value("KEY", { KEY: "sk-real" })).toBe("sk-real");
    expect(value("KEY")).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(`others can read ${file} (mode 0${mode.toString(8)})`),
      hint: `chmod 600 '${file}'`,
    });
  },
);

it("names the file and line that it cannot read, but no value", () => {
  writeFileSync(file, "KEY=sk-1\nOTHER='sk-file-secret\n", { mode: 0o600 });
  const failure = value("KEY");
  expect(failure).toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(`${file}:2: OTHER`),
  });
  expect(JSON.stringify(failure)).not.toContain("sk-");
});

it("does not accept a folder as a file", () => {
  mkdirSync(file);
  expect(value("KEY")).toMatchObject({ code: "CONFIG_INVALID", message: `${file} is a directory` });
});
