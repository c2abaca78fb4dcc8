/** Verbs that know the files of steps: poke, diff, bisect. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPlace, type Place } from "./workspaces.test.helper.ts";

type Shown = { cwd: string; head: string; steps: StepView[] };

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

const shown = (id: string): Promise<Shown> => place.json(["thread", "show", id]);
const idle = async (prompt: string): Promise<string> => {
  const run = ["run", "shared", "--cwd", place.repo, "--idle", "--prompt", prompt];
  return (await place.json<{ threadId: string }>(run)).threadId;
};

it("a poke finds the files from before its step, keeps what it may not undo, and puts them back when it fails", async () => {
  const at = (name: string): string => join(place.repo, name);
  const id = await idle("sh: echo 1 >> grown; rm began; mkdir -p deep; echo 1 > deep/new");
  await place.json(["thread", "exec", id]);
  const before = place.git("status", "--porcelain=v2", "--branch");
  const poke = (prompt: string, ...more: string[]): string[] => [
    ...["thread", "poke", id, "--prompt", prompt, ...more],
  ];
  // The second attempt sees none of the first one's files.
  await place.json(poke("sh: cp began copy; echo 2 >> grown"));
  expect(readFileSync(at("grown"), "utf8")).toBe("2\n");
  expect(readFileSync(at("copy"), "utf8")).toBe("by a person\n");
  expect(existsSync(at("deep"))).toBe(false);
  const poked = await shown(id);
  expect(poked.steps[0]?.workspace?.branch).toBe("main");
  expect(poked.steps[0]?.workspace?.changedOutside).toBeUndefined();
  // One that fails leaves head and files as they were.
  expect(await place.fails(poke("sh: echo 3 >> grown; false"))).toMatchObject({
    code: "INVALID_OUTPUT",
  });
  expect(readFileSync(at("grown"), "utf8")).toBe("2\n");
  expect((await shown(id)).steps[0]?.stateHash).toBe(poked.steps[0]?.stateHash);
  writeFileSync(at("mine"), "by a person");
  const refused = await place.fails(poke("sh: echo 4 >> grown"));
  expect(refused).toMatchObject({ code: "FILES_CHANGED", exit: 6 });
  expect(refused.message).toContain('"mine"');
  expect(existsSync(at("mine"))).toBe(true);
  await place.json(poke("sh: echo 4 >> grown", "--keep-files"));
  expect(readFileSync(at("grown"), "utf8")).toBe("2\n4\n");
  expect(before).toContain("branch.head main");
  place.git("clean", "-fdq");
  place.git("checkout", "-q", "--", ".");
});

it("diff names the files in which two threads differ; bisect runs in the files of each step", async () => {
  const id = await idle("sh: echo 1 > one");
  await place.json(["thread", "exec", id]);
  await place.json(["thread", "exec", id]);
  const fork = ["thread", "fork", id, "--from-step", "1", "--idle", "--prompt", "sh: echo 9 > two"];
  const { threadId: other } = await place.json<{ threadId: string }>(fork);
  await place.json(["thread", "exec", other]);
  expect(await place.json(["thread", "diff", id, other])).toMatchObject({
    files: {
      a: { round: 2 },
      b: { round: 2 },
      changes: [
        { path: "second", change: "deleted" },
        { path: "two", change: "added" },
      ],
      fault: null,
    },
  });
  const { stdout } = await place.run(["thread", "diff", id, other]);
  expect(stdout).toContain("2 files differ\nD second\nA two\n");
  const bisect = ["thread", "bisect", id, "--files", "--", "sh", "-c", "test ! -e second"];
  expect(await place.json(bisect)).toMatchObject({ firstBad: { round: 2 } });
});
