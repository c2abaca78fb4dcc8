import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceFile } from "./replace-file.ts";
import { openForReading, placeInside, withPlace } from "./work-folder.ts";

let folder = "";
let root = "";
let outside = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-react-"));
  root = join(folder, "work");
  outside = join(folder, "outside");
  await mkdir(join(root, "src"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(root, "src", "a.txt"), "inside");
  await writeFile(join(outside, "secret.txt"), "secret");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (place: string): Promise<string> =>
  withPlace(root, place, {
    make: false,
    use: async (held) => {
      const handle = await openForReading(held);
      return handle.readFile("utf8").finally(() => handle.close());
    },
  });

describe("placeInside", () => {
  it("returns the place of what lies inside, however it is written", async () => {
    expect(await placeInside(root, "src/a.txt")).toBe("src/a.txt");
    expect(await placeInside(root, "./src/../src//a.txt")).toBe("src/a.txt");
    expect(await placeInside(root, join(root, "src/a.txt"))).toBe("src/a.txt");
    expect(await placeInside(root, "new/deep/file")).toBe("new/deep/file");
    expect(await placeInside(root, "")).toBe(".");
    expect(await placeInside(root, "..almost")).toBe("..almost");
  });

  it("names a link by what it leads to", async () => {
    await symlink("src", join(root, "link"));
    expect(await placeInside(root, "link/a.txt")).toBe("src/a.txt");
  });

  it.each(["../outside/secret.txt", "..", "src/../../outside", "/etc/passwd", "src/a.txt\0.png"])(
    "refuses %j",
    async (path) => {
      await expect(placeInside(root, path)).rejects.toThrow(/outside|NUL/);
    },
  );

  it("refuses a folder beside it whose name begins alike", async () => {
    await mkdir(`${root}-other`);
    await expect(placeInside(root, `${root}-other/x`)).rejects.toThrow(/outside/);
  });

  it("refuses links that lead outside, also as a folder on the way", async () => {
    await symlink(join(outside, "secret.txt"), join(root, "file-link"));
    await symlink(outside, join(root, "folder-link"));
    await expect(placeInside(root, "file-link")).rejects.toThrow(/outside/);
    await expect(placeInside(root, "folder-link/secret.txt")).rejects.toThrow(/outside/);
    await expect(placeInside(root, "folder-link/new.txt")).rejects.toThrow(/outside/);
  });
});

describe("withPlace", () => {
  it("reads what was checked", async () => {
    expect(await read("src/a.txt")).toBe("inside");
  });

  it("does not write through a link that leads nowhere yet", async () => {
    await symlink(join(outside, "new.txt"), join(root, "dangling"));
    const place = await placeInside(root, "dangling");
    const write = withPlace(root, place, { make: true, use: (held) => replaceFile(held, "x") });
    await expect(write).rejects.toThrow(/ELOOP/);
    await expect(readFile(join(outside, "new.txt"))).rejects.toThrow(/ENOENT/);
  });

  it("does not follow a folder that was swapped for a link after the check", async () => {
    const place = await placeInside(root, "src/secret.txt");
    await rename(join(root, "src"), join(root, "old"));
    await symlink(outside, join(root, "src"));
    await expect(read(place)).rejects.toThrow(/ELOOP|ENOTDIR/);
    const write = withPlace(root, place, { make: true, use: (held) => replaceFile(held, "x") });
    await expect(write).rejects.toThrow(/ELOOP|ENOTDIR/);
    expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("secret");
  });

  it.runIf(process.platform === "linux")(
    "writes into the folder that it opened, wherever that is moved meanwhile",
    async () => {
      await withPlace(root, "src/new.txt", {
        make: false,
        use: async (held) => {
          await rename(join(root, "src"), join(root, "moved"));
          await symlink(outside, join(root, "src"));
          await replaceFile(held, "x");
        },
      });
      expect(await readFile(join(root, "moved", "new.txt"), "utf8")).toBe("x");
      await expect(readFile(join(outside, "new.txt"))).rejects.toThrow(/ENOENT/);
    },
  );

  it("opens no pipe, and does not wait for one", async () => {
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    await expect(read("pipe")).rejects.toThrow("neither a file nor a folder");
  });
});
