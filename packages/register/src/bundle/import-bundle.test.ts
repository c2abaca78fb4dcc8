import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

vi.setConfig({ testTimeout: 60_000 });

const PROGRAM = fileURLToPath(
  new URL("../../dist/bundle/import-bundle.test.program.js", import.meta.url),
);

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-import-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each(["other bytes", "a link to other bytes", "a folder of other bytes", "nothing"])(
  "runs what was checked after it was replaced by %s, under the URL of its file",
  (swap) => {
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, root, swap], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const { said, url, stack, same, refused } = JSON.parse(stdout);
    // The second import is the same module, and other bytes are not loaded under its name.
    expect([said, same, refused]).toEqual(["checked", true, "BUNDLE_TAMPERED"]);
    const bundles = pathToFileURL(join(realpathSync(root), "bundles")).href;
    expect(url).toMatch(new RegExp(`^${bundles}/\\w{13}/bundle\\.esm\\.js$`));
    expect(stack).toContain(`${url}:1:`);
  },
);
