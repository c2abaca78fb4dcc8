import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freshHome } from "./fresh-home.ts";

let folder = "";
let home = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fresh-home-"));
  home = join(folder, "thread", "reviewer");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text = "planted"): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

async function files(): Promise<string[]> {
  const found = await readdir(home, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .sort();
}

describe("the private folder of a role's agent", () => {
  it("contains its sessions and nothing else when a step begins", async () => {
    for (const path of [
      "settings.json",
      "CLAUDE.md",
      ".claude.json",
      "hooks/pre.sh",
      "skills/a/SKILL.md",
      "projects/-w/memory/MEMORY.md",
      "projects/-w/s1/hooks.json",
      "projects/-w/s1.jsonl",
      "projects/settings.json",
      "state_5.sqlite",
      "state.toml",
    ])
      await put(path);
    await freshHome(home, ["projects/*/*.jsonl", "state_*.sqlite"]);
    expect(await files()).toEqual(["projects/-w/s1.jsonl", "state_5.sqlite"]);
  });

  it("is created if missing", async () => {
    await freshHome(home, []);
    expect(await files()).toEqual([]);
  });

  it("does not follow links, whatever their name", async () => {
    const other = join(folder, "other");
    await mkdir(join(other, "-w"), { recursive: true });
    await writeFile(join(other, "-w", "s1.jsonl"), "kept by somebody else");
    await mkdir(home, { recursive: true });
    await symlink(other, join(home, "projects"));
    await symlink(join(other, "-w", "s1.jsonl"), join(home, "s2.jsonl"));
    await freshHome(home, ["projects/*/*.jsonl", "*.jsonl"]);
    expect(await files()).toEqual([]);
    expect(await readFile(join(other, "-w", "s1.jsonl"), "utf8")).toBe("kept by somebody else");
  });

  it("is replaced by a real folder if it was a link", async () => {
    const other = join(folder, "other");
    await mkdir(other);
    await writeFile(join(other, "settings.json"), "planted");
    await mkdir(dirname(home));
    await symlink(other, home);
    await freshHome(home, []);
    expect(await files()).toEqual([]);
    expect(existsSync(join(other, "settings.json"))).toBe(true);
  });
});
