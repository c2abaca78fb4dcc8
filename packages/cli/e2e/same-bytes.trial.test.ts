/** The same sources give the same bundle, wherever and with whatever Node it is built. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { otherNode } from "./other-node.test.helper.ts";

const BIN = fileURLToPath(new URL("../bin/uncaged-workflow.mjs", import.meta.url));
const CLI_MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
const SCAFFOLD = fileURLToPath(new URL("../scaffold/minimal/", import.meta.url));

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-same-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Built = {
  file: string;
  hash: string;
  sha256: string;
  descriptorFile: string;
  externals: string[];
};

/** A separate copy of the sources. */
function project(...path: string[]): string {
  const at = join(folder, ...path);
  mkdirSync(at, { recursive: true });
  cpSync(SCAFFOLD, at, { recursive: true });
  symlinkSync(CLI_MODULES, join(at, "node_modules"));
  return at;
}

async function build(
  cwd: string,
  { entry = "src/workflow.ts", node = process.execPath }: { entry?: string; node?: string } = {},
): Promise<Built & { bytes: Buffer; descriptor: string; record: string }> {
  const { stdout } = await promisify(execFile)(node, [BIN, "workflow", "build", entry, "--json"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: folder, WORKFLOW_STORAGE_ROOT: join(folder, "root") },
  });
  const built: Built = JSON.parse(stdout);
  return {
    ...built,
    bytes: readFileSync(built.file),
    descriptor: readFileSync(built.descriptorFile, "utf8"),
    record: readFileSync(built.file.replace(".esm.js", ".build.json"), "utf8"),
  };
}

describe("the bundle of the same sources", () => {
  it("is the same in two folders, by an absolute path and through a link", async () => {
    const [one, two] = [project("one"), project("deep", "er", "two words")];
    symlinkSync(one, join(folder, "link"));
    const first = await build(one);
    const others = [
      await build(two),
      await build(folder, { entry: join(two, "src", "workflow.ts") }),
      await build(join(folder, "link")),
    ];
    expect(first.bytes.length).toBeGreaterThan(1_000);
    for (const other of others) {
      expect(other.bytes.equals(first.bytes)).toBe(true);
      expect(other).toMatchObject({
        hash: first.hash,
        sha256: first.sha256,
        descriptor: first.descriptor,
        record: first.record,
        externals: first.externals,
      });
    }
  });

  it("is the same with two major versions of Node", async () => {
    const { version, executable } = await otherNode();
    expect(version.split(".")[0]).not.toBe(process.versions.node.split(".")[0]);
    const here = await build(project("here"));
    const there = await build(project("there"), { node: executable });
    expect(there.bytes.equals(here.bytes)).toBe(true);
    expect(there.descriptor).toBe(here.descriptor);
  });

  it("contains no path of the machine that it was built on", async () => {
    const { bytes, descriptor } = await build(project("named-in-no-bundle"));
    expect(`${bytes}${descriptor}`).not.toMatch(/named-in-no-bundle|node_modules|\/tmp\//);
  });
});
