/** The example of an adapter, as docs/writing-an-adapter.md shows it: built and run outside the workspace. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const example = join(root, "examples/own-adapter");
let copy;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "own-adapter-"));
  const filter = (path) => !/node_modules|dist/.test(path.slice(example.length));
  await cp(example, copy, { recursive: true, filter });
  await symlink(join(example, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => rm(copy, { recursive: true, force: true }));

it("is built by the compiler alone, and plays a role", async () => {
  const options = { cwd: copy, timeout: 50_000 };
  await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], options);
  const { stdout } = await run(process.execPath, ["scribe.test.mjs"], options);
  expect(stdout).toBe("own-adapter: all as expected\n");
});

it.each(["index.ts", "scribe-driver.ts", "scribe-event.ts"])("shows %s as it is", async (file) => {
  const text = await readFile(join(root, "docs/writing-an-adapter.md"), "utf8");
  expect(text).toContain(await readFile(join(example, file), "utf8"));
});
