import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeProject } from "./init.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-init-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each(["My Flows", "-rf", "flöws", "node_modules", "a".repeat(65), "__proto__", "new\nline"])(
  "a project cannot be called %j",
  async (dir) => {
    const result = await makeProject({ dir, template: "minimal" }, { cwd: folder });
    expect(!result.ok && result.error.code).toBe("USAGE");
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("the next steps are right for the folder", async () => {
  const result = await makeProject({ dir: "deep/my-flows", template: "minimal" }, { cwd: folder });
  const document = result.ok && "document" in result.value ? result.value.document : null;
  expect(document).toMatchObject({
    folder: join(folder, "deep", "my-flows"),
    name: "my-flows",
    template: "minimal",
    next: expect.arrayContaining(["cd deep/my-flows", "npm install"]),
  });
});
