import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleSource, DESCRIPTOR, plant, scratchFolder, tree } from "../scratch.test.helper.ts";
import { openBundle } from "./open-bundle.ts";
import { type BundleToStore, storeBundle } from "./store-bundle.ts";

const BYTES = Buffer.from(bundleSource());
const BUNDLE: BundleToStore = {
  bytes: BYTES,
  hash: hashBytes(BYTES),
  sha256: sha256Hex(BYTES),
  descriptor: DESCRIPTOR,
  externals: ["@uncaged/workflow-runtime"],
  rolldown: "1.3.2",
  types: null,
  yaml: null,
};
const FOLDER = `bundles/${BUNDLE.hash}`;

/** Two texts with one XXH64. */
const TWINS = [
  twin("tTVkcv9OuRrEpMuycXjwnxA3UUaHyp9HqykJZBYL6SGXLjzKFukOJ9w57fxLdCfW"),
  twin("IsASbqGruRrEpMuycXjwnxA3UUaHyp9H5zOyicSc6SGXLjzKFukOJ9w57fxLdCfW"),
] as const;

function twin(text: string): BundleToStore {
  const bytes = Buffer.from(text);
  return { ...BUNDLE, bytes, hash: hashBytes(bytes), sha256: sha256Hex(bytes) };
}

async function stored(): Promise<string> {
  const root = scratchFolder(onTestFinished);
  await storeBundle(root, BUNDLE);
  return root;
}

const golden = (name: string): string =>
  readFileSync(new URL(`./golden/${name}`, import.meta.url), "utf8");

describe("storing a bundle", () => {
  it("writes exactly the pinned files", async () => {
    const root = await stored();
    expect(tree(join(root, FOLDER))).toEqual({
      "build.json": golden("build.json"),
      "bundle.esm.js": golden("bundle.esm.js"),
      "descriptor.json": golden("descriptor.json"),
      "package.json": golden("package.json"),
    });
  });

  it("keeps type declarations next to it, also when it is stored again without them", async () => {
    const root = await stored();
    await storeBundle(root, { ...BUNDLE, types: Buffer.from("export {};\n") });
    await storeBundle(root, BUNDLE);
    expect(tree(root)[`${FOLDER}/types.d.ts`]).toBe("export {};\n");
  });

  it("leaves the history of its threads alone", async () => {
    const root = scratchFolder(onTestFinished);
    plant(root, { [`${FOLDER}/history/2026-11-21.jsonl`]: "{}\n" });
    await storeBundle(root, BUNDLE);
    expect(tree(root)[`${FOLDER}/history/2026-11-21.jsonl`]).toBe("{}\n");
  });

  it.each(["bundle.esm.js", "descriptor.json", "build.json"])(
    "repairs a damaged or lost %s",
    async (name) => {
      const root = await stored();
      const whole = tree(root);
      for (const damage of [
        (file: string) => writeFileSync(file, "damage"),
        (file: string) => rmSync(file),
      ]) {
        damage(join(root, FOLDER, name));
        await storeBundle(root, BUNDLE);
        expect(tree(root)).toEqual(whole);
      }
    },
  );

  it("refuses other bytes with the same hash, and leaves the first unchanged", async () => {
    const [one, other] = TWINS;
    expect(other.hash).toBe(one.hash);
    const root = scratchFolder(onTestFinished);
    await storeBundle(root, one);
    const before = tree(root);
    await expect(storeBundle(root, other)).rejects.toMatchObject({
      failure: { code: "CAS_COLLISION" },
    });
    expect(tree(root)).toEqual(before);
  });

  it("reports a folder that cannot be written", async () => {
    const root = scratchFolder(onTestFinished);
    writeFileSync(join(root, "bundles"), "a file in its place");
    await expect(storeBundle(root, BUNDLE)).rejects.toMatchObject({
      failure: { code: "STORAGE_FAILED" },
    });
  });
});

describe("opening a bundle", () => {
  const open = (root: string, sha256 = BUNDLE.sha256): ReturnType<typeof openBundle> =>
    openBundle(root, BUNDLE.hash, sha256);

  it("returns its file, its descriptor and its external packages", async () => {
    const root = await stored();
    expect(await open(root)).toEqual({
      ok: true,
      value: {
        file: join(root, FOLDER, "bundle.esm.js"),
        bytes: readFileSync(join(root, FOLDER, "bundle.esm.js")),
        hash: BUNDLE.hash,
        sha256: BUNDLE.sha256,
        descriptor: DESCRIPTOR,
        descriptorSha256: sha256Hex(readFileSync(join(root, FOLDER, "descriptor.json"), "utf8")),
        externals: BUNDLE.externals,
        rolldown: expect.any(String),
      },
    });
  });

  it.each(["bundle.esm.js", "descriptor.json", "build.json"])(
    "detects that %s is missing, or has other bytes",
    async (name) => {
      const root = await stored();
      const file = join(root, FOLDER, name);
      const bytes = readFileSync(file);
      const flipped = Buffer.from(bytes);
      flipped[40] = (flipped[40] ?? 0) ^ 1;
      for (const damaged of [
        flipped,
        bytes.subarray(0, -1),
        Buffer.alloc(bytes.length),
        Buffer.alloc(0),
      ]) {
        writeFileSync(file, damaged);
        expect(await open(root)).toMatchObject({
          ok: false,
          error: { code: "BUNDLE_TAMPERED", message: expect.stringContaining(file) },
        });
      }
      rmSync(file);
      expect(await open(root)).toMatchObject({
        ok: false,
        error: { code: "BUNDLE_MISSING", message: expect.stringContaining(file) },
      });
      mkdirSync(file);
      expect(await open(root)).toMatchObject({ ok: false, error: { code: "STORAGE_FAILED" } });
    },
  );

  it("detects other bytes with the same hash", async () => {
    const [one, other] = TWINS;
    const root = scratchFolder(onTestFinished);
    await storeBundle(root, one);
    writeFileSync(join(root, "bundles", one.hash, "bundle.esm.js"), other.bytes);
    expect(await openBundle(root, one.hash, one.sha256)).toMatchObject({
      ok: false,
      error: { code: "BUNDLE_TAMPERED", message: expect.stringContaining("bundle.esm.js") },
    });
  });

  it("detects bytes that match the hash but not the registry's digest", async () => {
    expect(await open(await stored(), "0".repeat(64))).toMatchObject({
      ok: false,
      error: { code: "BUNDLE_TAMPERED" },
    });
  });

  it("refuses anything but a hash before it touches a path", async () => {
    expect(await openBundle("/", "../etc/passwd", BUNDLE.sha256)).toMatchObject({
      ok: false,
      error: { code: "USAGE" },
    });
  });
});
