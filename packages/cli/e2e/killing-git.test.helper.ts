/** A `git` that ends whoever calls it, with SIGKILL. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The call that kills, counted from 1, and whether git did its work first. */
export type Place = { at: number; when: "before" | "after" };

export type KillingGit = {
  /** The environment of the next run, which is killed there; null: its calls are only counted. */
  env(place: Place | null): { PATH: string };
  /** How many calls the last run made. */
  calls(): number;
};

/** `folder`: is made, and comes first on the PATH. */
export function killingGit(folder: string): KillingGit {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const file = join(folder, "place");
  let run = 0;
  const calls = (): string => join(folder, `calls-${run}`);
  mkdirSync(folder);
  // What the caller's environment says does not reach git, so this one reads a file. A folder of calls for each run: what a
  // killed one had started may still make some.
  const script = `#!/bin/sh
read -r calls at when < "${file}"
call=1
until mkdir "$calls/$call" 2> /dev/null; do call=$((call + 1)); done
if [ $call = "$at" ]; then
  if [ $when = after ]; then ${real} "$@" > /dev/null 2>&1 < /dev/null; fi
  kill -9 $PPID
  exit 1
fi
exec ${real} "$@"
`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  return {
    env(place) {
      run += 1;
      mkdirSync(calls());
      writeFileSync(file, `${calls()} ${place?.at ?? 0} ${place?.when ?? "before"}\n`);
      return { PATH: `${folder}:${process.env.PATH}` };
    },
    calls: () => readdirSync(calls()).length,
  };
}

/** Some of the places of a run that makes so many calls, evenly from a random one on. */
export function* placesOf(calls: number, count: number): Generator<Place> {
  const all = calls * 2;
  const step = Math.max(1, all / count);
  for (let at = Math.random() * step; at < all; at += step) {
    const place = Math.floor(at);
    yield { at: (place >> 1) + 1, when: place % 2 === 0 ? "before" : "after" };
  }
}
