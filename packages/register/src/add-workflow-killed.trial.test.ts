import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { openBundle } from "./bundle/open-bundle.ts";
import { readRegistry } from "./registry/read-registry.ts";
import { bundleSource, plant, scratchFolder } from "./scratch.test.helper.ts";

vi.setConfig({ testTimeout: 120_000 });

const PROGRAM = fileURLToPath(new URL("../dist/add-one.test.program.js", import.meta.url));
const VERSIONS = 4;
const KILLS = 4;

/** Adds all versions in a process, kills it with SIGKILL after some time, and returns what it had acknowledged. */
async function addAndKill(
  root: string,
  files: readonly string[],
  afterMs: number,
): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, root, ...files], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  await Promise.race([sleep(afterMs, undefined, { ref: false }), closed]);
  child.kill("SIGKILL");
  await closed;
  return said.split("\n").slice(0, -1);
}

it("killed at any instant, adding loses no acknowledged version and names none that cannot run", async () => {
  const folder = scratchFolder(onTestFinished);
  const names = Array.from({ length: VERSIONS }, (_, index) => `v${index}.esm.js`);
  plant(folder, Object.fromEntries(names.map((name) => [name, bundleSource(`// ${name}`)])));
  const files = names.map((name) => join(folder, name));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const root = join(folder, `root-${kill}`);
    const acknowledged = await addAndKill(root, files, 120 + kill * 90);
    const registry = await readRegistry(root);
    if (!registry.ok) throw new Error(registry.error.message);
    const entry = registry.value.workflows.get("flow");
    const versions = entry === undefined ? [] : [entry, ...entry.history];
    expect(
      versions
        .map(({ hash }) => hash)
        .reverse()
        .slice(0, acknowledged.length),
    ).toEqual(acknowledged);
    for (const { hash, sha256 } of versions)
      expect(await openBundle(root, hash, sha256)).toMatchObject({ ok: true });
    // Whatever was begun can be done again.
    const all = await addAndKill(root, files, 60_000);
    expect(all).toHaveLength(VERSIONS);
    expect(all).not.toContain("failed");
  }
});
