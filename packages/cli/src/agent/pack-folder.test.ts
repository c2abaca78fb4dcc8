import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeIo } from "../command/io.test.helper.ts";
import { packFolder } from "./pack-folder.ts";

// npm is started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-pack-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plant(path: string, manifest: object): void {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, "package.json"), JSON.stringify(manifest));
}

function pack(): ReturnType<typeof packFolder> {
  mkdirSync(join(folder, "stage"));
  return packFolder(join(folder, "workspace/adapter"), {
    folder: join(folder, "stage"),
    env: { ...process.env, HOME: folder },
    signal: new AbortController().signal,
    io: fakeIo({}),
  });
}

it("packs a workspace folder with the workspace's versions", async () => {
  plant("workspace/inner", { name: "@me/inner", version: "1.4.0" });
  plant("workspace/adapter", {
    name: "adapter",
    version: "2.0.0",
    files: ["index.js"],
    dependencies: { "@me/inner": "workspace:*", zod: "^4.0.0", other: "workspace:^3.1.0" },
    peerDependencies: { "@me/inner": "workspace:^" },
    devDependencies: { "@me/tests": "workspace:*" },
  });
  writeFileSync(join(folder, "workspace/adapter/index.js"), "export {};");
  writeFileSync(join(folder, "workspace/adapter/notes.txt"), "mine");
  mkdirSync(join(folder, "workspace/adapter/node_modules/@me"), { recursive: true });
  symlinkSync("../../../inner", join(folder, "workspace/adapter/node_modules/@me/inner"));
  const packed = await pack();
  if (!packed.ok) throw new Error(packed.error.message);
  const tar = (...args: string[]): string =>
    execFileSync("tar", [...args, packed.value.path], { encoding: "utf8" });
  expect(tar("-tzf").trim().split("\n").sort()).toEqual([
    "package/index.js",
    "package/package.json",
  ]);
  const manifest: unknown = JSON.parse(
    execFileSync("tar", ["-xzOf", packed.value.path, "package/package.json"], { encoding: "utf8" }),
  );
  expect(manifest).toMatchObject({
    dependencies: { "@me/inner": "1.4.0", zod: "^4.0.0", other: "^3.1.0" },
    peerDependencies: { "@me/inner": "^1.4.0" },
  });
  expect(manifest).not.toHaveProperty("devDependencies");
});

it("names the workspace package that is not linked", async () => {
  plant("workspace/adapter", {
    name: "adapter",
    version: "1.0.0",
    dependencies: { gone: "workspace:*" },
  });
  const packed = await pack();
  expect(packed).toMatchObject({
    ok: false,
    error: {
      code: "INSTALL_FAILED",
      message: expect.stringContaining("depends on gone of its workspace"),
    },
  });
});
