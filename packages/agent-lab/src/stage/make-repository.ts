import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const PROJECT = fileURLToPath(new URL("../../../../examples/demo/project", import.meta.url));

/** Turns the demo's project, which has a bug and a failing test, into a git repository in an empty folder. */
export async function makeRepository(folder: string): Promise<void> {
  await cp(PROJECT, folder, { recursive: true });
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Lab"],
    ["config", "user.email", "lab@localhost"],
    ["add", "."],
    ["commit", "--quiet", "--message", "feat: slugify"],
  ]) {
    await execa("git", args, { cwd: folder });
  }
}
