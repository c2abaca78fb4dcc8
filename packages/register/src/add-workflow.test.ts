import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type AddedWorkflow, type AddWorkflow, addWorkflow } from "./add-workflow.ts";
import { openBundle } from "./bundle/open-bundle.ts";
import { fileRegistry } from "./registry/file-registry.ts";
import { readRegistry } from "./registry/read-registry.ts";
import { rollbackWorkflow } from "./rollback-workflow.ts";
import {
  bundleSource,
  DESCRIPTOR,
  emptyBase,
  plant,
  scratchFolder,
  scratchRegistry,
  tree,
  UNCHECKED,
} from "./scratch.test.helper.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

type Setting = {
  folder: string;
  root: string;
  add: (text: string, more?: Partial<AddWorkflow>) => Promise<AddedWorkflow>;
};

function setting(): Setting {
  const folder = scratchFolder(onTestFinished);
  const root = join(folder, "root");
  let nowMs = 0;
  const add = async (text: string, more: Partial<AddWorkflow> = {}): Promise<AddedWorkflow> => {
    plant(folder, { "flow.esm.js": text });
    nowMs += 1;
    const added = await addWorkflow({
      root,
      packagesBase: emptyBase(folder),
      name: "flow",
      file: join(folder, "flow.esm.js"),
      types: null,
      ...UNCHECKED,
      registry: scratchRegistry(root),
      nowMs,
      ...more,
    });
    if (!added.ok) throw new Error(`${added.error.code} ${added.error.message}`);
    return added.value;
  };
  return { folder, root, add };
}

const version = (number: number): string => bundleSource(`// version ${number}`);

describe("adding a workflow", () => {
  it("stores the bundle, its descriptor and its types, and names it", async () => {
    const { folder, root, add } = setting();
    plant(folder, {
      "flow.descriptor.json": JSON.stringify(DESCRIPTOR),
      "flow.d.ts": "export {};\n",
    });
    const added = await add(version(1), { types: join(folder, "flow.d.ts") });
    expect(added).toEqual({
      name: "flow",
      hash: added.hash,
      sha256: added.sha256,
      previous: null,
      notes: [],
    });
    const bundle = await openBundle(root, added.hash, added.sha256);
    expect(bundle).toMatchObject({ ok: true, value: { descriptor: DESCRIPTOR, externals: [] } });
    expect(bundle.ok && readFileSync(bundle.value.file, "utf8")).toBe(version(1));
    expect(tree(root)[`bundles/${added.hash}/types.d.ts`]).toBe("export {};\n");
    const registry = await readRegistry(root);
    expect(registry.ok && registry.value.workflows.get("flow")).toEqual({
      hash: added.hash,
      sha256: added.sha256,
      timestamp: 1,
      history: [],
    });
  });

  it("keeps the bundler's version when the record beside it is the bundle's own", async () => {
    const { folder, root, add } = setting();
    const { hash, sha256 } = await add(version(1));
    const record = { hash, sha256, rolldown: "1.3.2", externals: [], descriptorSha256: "" };
    plant(folder, { "flow.build.json": JSON.stringify(record) });
    await add(version(1));
    expect(tree(root)[`bundles/${hash}/build.json`]).toContain('"rolldown": "1.3.2"');
    const other = await add(version(2));
    expect(tree(root)[`bundles/${other.hash}/build.json`]).toContain('"rolldown": null');
  });

  it("again stores no second copy of the same bytes, and changes nothing", async () => {
    const { root, add } = setting();
    const first = await add(version(1));
    const before = tree(root);
    expect(await add(version(1))).toEqual({ ...first, previous: first.hash });
    expect(tree(root)).toEqual(before);
  });

  it("repairs a stored bundle that was damaged", async () => {
    const { root, add } = setting();
    const { hash, sha256 } = await add(version(1));
    writeFileSync(join(root, "bundles", hash, "bundle.esm.js"), "damage");
    await add(version(1));
    expect(await openBundle(root, hash, sha256)).toMatchObject({ ok: true });
  });

  it("checks, hashes and stores the bytes of a single read, whatever happens to the file meanwhile", async () => {
    const { folder, root, add } = setting();
    const added = await add(version(1), {
      checkRule: () => {
        writeFileSync(join(folder, "flow.esm.js"), "process.exit(1)");
        return null;
      },
    });
    expect(tree(root)[`bundles/${added.hash}/bundle.esm.js`]).toBe(version(1));
  });

  it("stores nothing while the registry is broken", async () => {
    const { root, add } = setting();
    plant(root, { "workflow.yaml": "config: [1" });
    await expect(add(version(1))).rejects.toThrow("CONFIG_INVALID");
    expect(Object.keys(tree(root))).toEqual(["workflow.yaml"]);
  });

  it("leaves a complete bundle and an unchanged registry when the lock cannot be acquired", async () => {
    const { root, add } = setting();
    const busy = (): Promise<never> => Promise.reject(new Error("the lock is held"));
    await expect(
      add(version(1), { registry: fileRegistry({ root, exclusively: busy }) }),
    ).rejects.toThrow("the lock is held");
    expect(Object.keys(tree(root))).not.toContain("workflow.yaml");
    expect((await add(version(1))).previous).toBeNull();
  });
});

describe("rolling a workflow back", () => {
  it("restores the previous version, or the one that is named", async () => {
    const { root, add } = setting();
    const [one, two, three] = [await add(version(1)), await add(version(2)), await add(version(3))];
    const back = await rollbackWorkflow({
      root,
      registry: scratchRegistry(root),
      name: "flow",
      hash: null,
    });
    expect(back).toEqual({
      ok: true,
      value: { name: "flow", hash: two.hash, previous: three.hash, notes: [] },
    });
    const first = await rollbackWorkflow({
      root,
      registry: scratchRegistry(root),
      name: "flow",
      hash: one.hash,
    });
    expect(first).toMatchObject({ ok: true, value: { hash: one.hash, previous: two.hash } });
  });

  it("never points a name at a bundle that is missing or damaged", async () => {
    const { root, add } = setting();
    const one = await add(version(1));
    await add(version(2));
    const before = readFileSync(join(root, "workflow.yaml"), "utf8");
    writeFileSync(join(root, "bundles", one.hash, "bundle.esm.js"), "damage");
    for (const hash of [null, one.hash]) {
      expect(
        await rollbackWorkflow({ root, registry: scratchRegistry(root), name: "flow", hash }),
      ).toMatchObject({
        ok: false,
        error: { code: "BUNDLE_TAMPERED" },
      });
    }
    expect(readFileSync(join(root, "workflow.yaml"), "utf8")).toBe(before);
  });

  it("is refused for an unknown name or version", async () => {
    const { root, add } = setting();
    await add(version(1));
    const back = (name: string, hash: string | null): ReturnType<typeof rollbackWorkflow> =>
      rollbackWorkflow({ root, registry: scratchRegistry(root), name, hash });
    expect(await back("other", null)).toMatchObject({
      ok: false,
      error: { code: "WORKFLOW_NOT_FOUND" },
    });
    expect(await back("flow", null)).toMatchObject({
      ok: false,
      error: { code: "WORKFLOW_NO_VERSION" },
    });
    expect(await back("flow", "../../x")).toMatchObject({
      ok: false,
      error: { code: "WORKFLOW_NO_VERSION" },
    });
  });
});

describe("removing a workflow", () => {
  it("keeps the bundle, which threads may run", async () => {
    const { root, add } = setting();
    const { hash, sha256 } = await add(version(1));
    expect(await scratchRegistry(root).remove("flow")).toMatchObject({ ok: true });
    expect(await openBundle(root, hash, sha256)).toMatchObject({ ok: true });
  });
});
