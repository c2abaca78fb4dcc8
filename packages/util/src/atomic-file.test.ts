import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkflowError } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AtomicOutcome,
  type AtomicWrite,
  writeFileAtomic,
  writeFileAtomicSync,
} from "./atomic-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "util-atomic-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const forms: [string, (write: AtomicWrite) => Promise<AtomicOutcome>][] = [
  ["asynchronous", writeFileAtomic],
  ["synchronous", async (write) => writeFileAtomicSync(write)],
];

describe.each(forms)("the %s form", (_name, write) => {
  const file = (): Pick<AtomicWrite, "path" | "mode"> => ({ path: join(folder, "f"), mode: 0o600 });

  test("writes the file whole, with its mode, and leaves nothing else", async () => {
    const data = "é\0".repeat(1_000_000);
    expect(await write({ ...file(), data, existing: "replace" })).toBe("written");
    expect(readFileSync(join(folder, "f"), "utf8")).toBe(data);
    expect(statSync(join(folder, "f")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["f"]);
  });

  test("replaces a file without touching the one that readers have open", async () => {
    writeFileSync(join(folder, "f"), "old");
    linkSync(join(folder, "f"), join(folder, "reader"));
    await write({ ...file(), data: Buffer.from("new"), existing: "replace" });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("new");
    expect(readFileSync(join(folder, "reader"), "utf8")).toBe("old");
  });

  test("keeps an existing file when told to", async () => {
    expect(await write({ ...file(), data: "first", existing: "keep" })).toBe("written");
    expect(await write({ ...file(), data: "second", existing: "keep" })).toBe("kept");
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("first");
    expect(readdirSync(folder)).toEqual(["f"]);
  });

  test("when many create one file at once, exactly one succeeds", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => write({ ...file(), data: `${i}`, existing: "keep" })),
    );
    expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(["f"]);
  });

  test("follows a symbolic link, so that a linked file stays linked", async () => {
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "f"), "old");
    symlinkSync(join("real", "f"), join(folder, "f"));
    await write({ ...file(), data: "new", existing: "replace" });
    expect(readlinkSync(join(folder, "f"))).toBe(join("real", "f"));
    expect(readFileSync(join(folder, "real", "f"), "utf8")).toBe("new");
    expect(readdirSync(join(folder, "real"))).toEqual(["f"]);
  });

  test("says what it could not write and why, and leaves nothing behind", async () => {
    const path = join(folder, "missing", "f");
    const thrown = await write({ path, mode: 0o600, data: "x", existing: "replace" }).catch(
      (e) => e,
    );
    expect(thrown).toBeInstanceOf(WorkflowError);
    expect(thrown.failure.code).toBe("STORAGE_FAILED");
    expect(thrown.failure.message).toContain(path);
    expect(thrown.failure.hint).toContain("folder is missing");
    mkdirSync(join(folder, "d", "full"), { recursive: true });
    const over = write({ path: join(folder, "d"), mode: 0o600, data: "x", existing: "replace" });
    await expect(over).rejects.toThrow(WorkflowError);
    expect(readdirSync(folder)).toEqual(["d"]);
  });
});
