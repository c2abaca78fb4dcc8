import { access, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { randomTag } from "@uncaged/workflow-util";
import type { Canary, CanaryHow } from "./canary-presets.ts";
import type { Checkout } from "./checkout.ts";
import type { Scratch } from "./scratch.ts";
import { treeEntries } from "./trees.ts";

/** Canaries that were written into a checkout. */
export type Planted = {
  /** Files of tests that have one. */
  paths: readonly string[];
  /** Those whose canary ran to its end. */
  reached(): Promise<string[]>;
};

export type Planting = Pick<CanaryHow, "fails" | "alone"> & {
  tree: string;
  /** Null: every file of tests. */
  only: ReadonlySet<string> | null;
};

const MOST_FILES = 2_000;
const MOST_BYTES = 1024 * 1024;

export async function plantCanaries(
  scratch: Scratch,
  canary: Canary,
  { checkout, tree, only, ...how }: Planting & { checkout: Checkout },
): Promise<Result<Planted, Failure>> {
  const listed = await treeEntries(scratch, { tree, pathspecs: canary.pathspecs });
  if (!listed.ok) return listed;
  const folder = join(checkout.folder, `marks-${randomTag(16)}`);
  await mkdir(folder);
  const marks = new Map<string, string>();
  for (const { path } of listed.value) {
    if (marks.size >= MOST_FILES) break;
    if (only?.has(path) === false || /(?:^|\/)(?:node_modules|fixtures?)\//.test(path)) continue;
    const text = await readTest(join(checkout.files, path));
    if (text === null || !canary.isTest.test(text)) continue;
    const name = `canary_${randomTag(16).toLowerCase()}`;
    const mark = join(folder, name);
    const written = canary.write({ path, text }, { mark, name, ...how });
    await mkdir(dirname(join(checkout.files, written.path)), { recursive: true });
    await writeFile(join(checkout.files, written.path), written.text);
    marks.set(path, mark);
  }
  return ok({
    paths: [...marks.keys()],
    async reached() {
      const found: string[] = [];
      for (const [path, mark] of marks) if (await exists(mark)) found.push(path);
      return found;
    },
  });
}

/** Null: no regular file, or too large to be one of tests. */
async function readTest(file: string): Promise<string | null> {
  const stats = await lstat(file).catch(() => null);
  if (stats?.isFile() !== true || stats.size > MOST_BYTES) return null;
  return readFile(file, "utf8");
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
