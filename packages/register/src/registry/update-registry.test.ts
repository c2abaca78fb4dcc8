import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BundleVersion, ok } from "@uncaged/workflow-protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { alone, scratchFolder, tree } from "../scratch.test.helper.ts";
import { registerVersion } from "./edit-registry.ts";
import { readRegistry } from "./read-registry.ts";
import type { RegistryFile } from "./registry.ts";
import { updateRegistry } from "./update-registry.ts";

const VERSION: BundleVersion = { hash: "0123456789ABC", sha256: "a".repeat(64), timestamp: 1 };

function add(
  root: string,
  name = "flow",
  before: (file: RegistryFile) => void = () => {},
): ReturnType<typeof updateRegistry> {
  return updateRegistry({
    root,
    exclusively: alone,
    change: (file) => {
      before(file);
      return ok(registerVersion(file, { name, version: VERSION }));
    },
  });
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("updating the registry", () => {
  it("creates the storage root and a file that only its owner may read", async () => {
    const root = join(scratchFolder(onTestFinished), "new", "root");
    expect(await add(root)).toEqual(ok({ value: { previous: null }, notes: [] }));
    expect(modeOf(join(root, "workflow.yaml"))).toBe(0o600);
    expect(Object.keys(tree(root))).toEqual(["workflow.yaml"]);
  });

  it("fixes the mode of a file that others could read, and says so", async () => {
    const root = scratchFolder(onTestFinished);
    const file = join(root, "workflow.yaml");
    writeFileSync(file, "config: { maxDepth: 4 }\n");
    chmodSync(file, 0o644);
    const updated = await add(root);
    expect(updated.ok && updated.value.notes).toEqual([
      `${file} could be read by others (mode 0644); it has mode 0600 now`,
    ]);
    expect(modeOf(file)).toBe(0o600);
  });

  it("keeps what an editor saves while the change is made", async () => {
    const root = scratchFolder(onTestFinished);
    const file = join(root, "workflow.yaml");
    let calls = 0;
    await add(root, "flow", () => {
      calls += 1;
      if (calls === 1) writeFileSync(file, "config: { maxDepth: 9 } # just now\n");
    });
    expect(calls).toBe(2);
    const text = readFileSync(file, "utf8");
    expect(text).toContain("maxDepth: 9 } # just now");
    expect(text).toContain("flow:");
  });

  it("gives up on a file that keeps changing, and leaves it alone", async () => {
    const root = scratchFolder(onTestFinished);
    const file = join(root, "workflow.yaml");
    let calls = 0;
    const updated = await add(root, "flow", () => {
      calls += 1;
      writeFileSync(file, `# ${calls}\n`);
    });
    expect(updated).toMatchObject({ ok: false, error: { code: "REGISTRY_BUSY" } });
    expect(readFileSync(file, "utf8")).toBe(`# ${calls}\n`);
  });

  it("writes through a symbolic link, so that a file kept elsewhere stays there", async () => {
    const folder = scratchFolder(onTestFinished);
    const root = join(folder, "root");
    mkdirSync(root);
    writeFileSync(join(folder, "mine.yaml"), "# mine\n");
    symlinkSync("../mine.yaml", join(root, "workflow.yaml"));
    await add(root);
    expect(tree(root)).toEqual({ "workflow.yaml": "link" });
    expect(readFileSync(join(folder, "mine.yaml"), "utf8")).toContain("flow:");
  });

  it("never overwrites a file that it cannot read completely", async () => {
    const root = scratchFolder(onTestFinished);
    const file = join(root, "workflow.yaml");
    for (const bytes of [Buffer.from("config: [1"), Buffer.from([0x61, 0x3a, 0x20, 0xff])]) {
      writeFileSync(file, bytes);
      expect(await add(root)).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
      expect(readFileSync(file)).toEqual(bytes);
    }
  });

  it("reports a folder in the place of the file", async () => {
    const root = scratchFolder(onTestFinished);
    mkdirSync(join(root, "workflow.yaml"));
    expect(await add(root)).toMatchObject({ ok: false, error: { code: "STORAGE_FAILED" } });
    expect(await readRegistry(root)).toMatchObject({
      ok: false,
      error: { code: "STORAGE_FAILED" },
    });
  });

  it("by twenty processes at once loses nothing", { timeout: 60_000 }, async () => {
    const root = scratchFolder(onTestFinished);
    const program = fileURLToPath(
      new URL("../../dist/registry/register-one.test.program.js", import.meta.url),
    );
    const names = Array.from({ length: 20 }, (_, index) => `flow-${index}`);
    const codes = await Promise.all(
      names.map(async (name) => {
        const child = spawn(process.execPath, [program, root, name], {
          stdio: ["ignore", "ignore", "inherit"],
        });
        const [code] = await once(child, "exit");
        return code;
      }),
    );
    expect(new Set(codes)).toEqual(new Set([0]));
    const registry = await readRegistry(root);
    expect(registry.ok && [...registry.value.workflows.keys()].sort()).toEqual(names.sort());
  });
});
