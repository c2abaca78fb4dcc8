import { createHash } from "node:crypto";
import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { programIdentity } from "./program-identity.ts";

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "program-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

it("names the file behind a program's links, and its current digest", async () => {
  const file = join(folder, "agent.js");
  const link = join(folder, "agent");
  await writeFile(file, "one");
  await symlink(file, link);
  expect(await programIdentity(link)).toEqual({ path: file, sha256: sha256("one") });
  expect(await programIdentity(link)).toEqual({ path: file, sha256: sha256("one") });
  await writeFile(file, "another program");
  expect(await programIdentity(link)).toEqual({ path: file, sha256: sha256("another program") });
});

it("knows nothing about a missing program", async () => {
  expect(await programIdentity(null)).toEqual({});
  expect(await programIdentity(join(folder, "none"))).toEqual({});
  expect(await programIdentity(folder)).toEqual({ path: folder });
});
