import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lendFile } from "./lend-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lend "));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("lendFile", () => {
  it("lends a file that either side may renew, and lends it again when it has moved", async () => {
    const [one, two, lent] = ["one", "two", "lent"].map((name) => join(folder, name));
    if (one === undefined || two === undefined || lent === undefined) throw new Error("no paths");
    await writeFile(one, "old");
    await lendFile(one, lent);
    await writeFile(lent, "renewed");
    expect(await readFile(one, "utf8")).toBe("renewed");
    await writeFile(two, "moved");
    await lendFile(two, lent);
    expect(await readFile(lent, "utf8")).toBe("moved");
    expect(await readFile(one, "utf8")).toBe("renewed");
  });

  it("lends nothing when there is nothing to lend", async () => {
    await lendFile(join(folder, "none"), join(folder, "lent"));
    expect(await readdir(folder)).toEqual([]);
  });
});
