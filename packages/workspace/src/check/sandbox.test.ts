import { expect, test } from "vitest";
import { firstThatWorks, type Tried } from "./sandbox.ts";

const LINUX = process.platform === "linux";

test("a sandbox that a busy machine was too slow to start is tried again, and nothing weaker is settled on", async () => {
  const asked: string[] = [];
  const answers = (given: Partial<Record<string, Tried[]>>) => {
    asked.length = 0;
    return firstThatWorks(async ({ by }, withinMs) => {
      asked.push(`${by} ${withinMs}`);
      return given[by]?.shift() ?? "fails";
    });
  };
  const named = async (given: Partial<Record<string, Tried[]>>) => {
    const { sandbox, isSure } = await answers(given);
    return [sandbox.by, isSure];
  };
  expect(await named({})).toEqual(["none", true]);
  if (!LINUX) return;
  expect(await named({ bubblewrap: ["late", "works"] })).toEqual(["bubblewrap", true]);
  expect(asked).toEqual(["bubblewrap 10000", "bubblewrap 30000"]);
  expect(await named({ unshare: ["works"] })).toEqual(["unshare", true]);
  expect(await named({ bubblewrap: ["late", "late"], unshare: ["works"] })).toEqual([
    "unshare",
    false,
  ]);
  expect(await named({ unshare: ["late", "late"] })).toEqual(["none", false]);
});
