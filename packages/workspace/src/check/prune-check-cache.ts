import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { randomTag } from "@uncaged/workflow-util";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Beyond this many, those that were not used for the longest time go. */
const MOST_INSTALLS = 20;
const MOST_EVIDENCE = 2_000;
/** What nobody used for so long goes in any case. */
const UNUSED_MS = 30 * DAY_MS;
/** Somebody may be copying from what was used so lately. */
const IN_USE_MS = DAY_MS;

export type CheckCache = {
  /** Folders of what setups installed. */
  dependencies: string;
  /** Records of checks. */
  evidence: string;
};

/** Removes what checks keep and have not used for long: they make it again. Returns how many of each. */
export async function pruneCheckCache(
  { dependencies, evidence }: CheckCache,
  { nowMs, dryRun }: { nowMs: number; dryRun: boolean },
): Promise<{ installs: number; evidence: number }> {
  const old = {
    installs: await unused(dependencies, { nowMs, most: MOST_INSTALLS, usedAs: "entries" }),
    evidence: await unused(evidence, { nowMs, most: MOST_EVIDENCE, usedAs: "" }),
  };
  if (!dryRun) {
    for (const name of old.installs) await removeWhole(dependencies, name);
    for (const name of old.evidence) await rm(join(evidence, name), { force: true });
  }
  return { installs: old.installs.length, evidence: old.evidence.length };
}

/** `usedAs`: the file in it whose time says when it was last used. */
async function unused(
  folder: string,
  { nowMs, most, usedAs }: { nowMs: number; most: number; usedAs: string },
): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const all: { name: string; ageMs: number }[] = [];
  for (const name of names) {
    const place = join(folder, name);
    // One that was not finished has only itself.
    const found = await stat(join(place, usedAs))
      .catch(() => stat(place))
      .catch(() => null);
    if (found !== null) all.push({ name, ageMs: nowMs - found.mtimeMs });
  }
  all.sort((a, b) => a.ageMs - b.ageMs);
  const goes = ({ ageMs }: { ageMs: number }, at: number): boolean =>
    ageMs > UNUSED_MS || (at >= most && ageMs > IN_USE_MS);
  return all.filter(goes).map(({ name }) => name);
}

/** First out of its place, so that nobody finds half of it. */
async function removeWhole(folder: string, name: string): Promise<void> {
  const away = join(folder, `${name.split(".")[0]}.${randomTag(8)}.old`);
  await rename(join(folder, name), away).catch(() => undefined);
  await rm(away, { recursive: true, force: true, maxRetries: 3 });
}
