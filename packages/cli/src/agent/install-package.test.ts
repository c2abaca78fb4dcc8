import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeIo } from "../command/io.test.helper.ts";
import { installPackage } from "./install-package.ts";
import { withStagedPackage } from "./stage-package.ts";

// npm is started several times, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let folder = "";
let root = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-install-"));
  root = join(folder, "root");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CODE = "export const agent = { name: 'a', create: () => () => {}, probe: async () => ({}) };";
const TOO_LATE = failure("REGISTRY_BUSY", "somebody else was faster", "");

/** Installs a package with this name and version; the work that follows returns this. */
function install(
  name: string,
  version: string,
  settled: Result<string, Failure>,
): Promise<Result<string, Failure>> {
  const place = join(folder, `${name}-${version}`);
  mkdirSync(place, { recursive: true });
  const manifest = { name, version, type: "module", exports: "./index.js" };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(place, "index.js"), CODE);
  const signal = new AbortController().signal;
  const env = { ...process.env, HOME: folder };
  const call = { env, signal, io: fakeIo({}) };
  return withStagedPackage({ source: place, cwd: folder, ...call }, (staged) =>
    installPackage({ root, staged, ...call, settle: async () => settled }),
  );
}

function installedVersion(name: string): string | null {
  const path = join(root, "node_modules", name, "package.json");
  if (!existsSync(path)) return null;
  const { version }: { version: string } = JSON.parse(readFileSync(path, "utf8"));
  return version;
}

it("leaves an empty root empty when the work that follows fails", async () => {
  expect(await install("one", "1.0.0", err(TOO_LATE))).toEqual({ ok: false, error: TOO_LATE });
  expect(readdirSync(root)).toEqual([]);
});

it("restores the previous version when the work that follows fails", async () => {
  expect(await install("one", "1.0.0", ok("done"))).toEqual({ ok: true, value: "done" });
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  await install("one", "2.0.0", err(TOO_LATE));
  await install("two", "1.0.0", err(TOO_LATE));
  expect([installedVersion("one"), installedVersion("two")]).toEqual(["1.0.0", null]);
  expect(readFileSync(join(root, "package.json"), "utf8")).toBe(manifest);
  expect(readdirSync(join(root, "tarballs"))).toEqual([
    expect.stringMatching(/^one-1\.0\.0-[0-9a-f]{12}\.tgz$/),
  ]);
});

it("refuses a root whose packages npm would remove", async () => {
  mkdirSync(join(root, "node_modules/mine"), { recursive: true });
  expect(await install("one", "1.0.0", ok("done"))).toMatchObject({
    ok: false,
    error: { code: "TARGET_EXISTS" },
  });
  expect(existsSync(join(root, "node_modules/mine"))).toBe(true);
});
