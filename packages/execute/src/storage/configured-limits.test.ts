import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_LIMITS } from "@uncaged/workflow-protocol";
import { memoryIndex } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withConfiguredLimits } from "./configured-limits.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "limits-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const configure = (config: string): Promise<void> =>
  writeFile(storagePaths(root).registry, `config: ${config}\n`);

it("limits are what the file says when they are asked for", async () => {
  const { dispatch } = withConfiguredLimits(root, memoryIndex());
  expect(await dispatch.limits()).toEqual(NO_LIMITS);
  await configure("{ limits: { threads: 4 } }");
  expect(await dispatch.limits()).toEqual({ ...NO_LIMITS, threads: 4 });
  await configure("{ limits: { threads: 12 } }");
  expect(await dispatch.limits()).toEqual({ ...NO_LIMITS, threads: 12 });
  await configure("{ maxDepth: 4 }");
  expect(await dispatch.limits()).toEqual(NO_LIMITS);
});

it("a file that cannot be read leaves the limits that it had", async () => {
  const { dispatch } = withConfiguredLimits(root, memoryIndex());
  await configure("{ limits: { threads: 4 } }");
  expect((await dispatch.limits()).threads).toBe(4);
  await configure("{ limits: { threads: many } }");
  expect((await dispatch.limits()).threads).toBe(4);
  await rm(storagePaths(root).registry);
  expect((await dispatch.limits()).threads).toBeNull();
});

it("what is stored already is not written again, and what another process stored is mended", async () => {
  const index = memoryIndex();
  const written: unknown[] = [];
  const counted = {
    ...index,
    dispatch: {
      ...index.dispatch,
      limit: (limits: typeof NO_LIMITS) => {
        written.push(limits);
        return index.dispatch.limit(limits);
      },
    },
  };
  await configure("{ limits: { threads: 4 } }");
  await withConfiguredLimits(root, counted).dispatch.limits();
  await withConfiguredLimits(root, counted).dispatch.limits();
  expect(written).toHaveLength(1);
  await index.dispatch.limit(NO_LIMITS);
  expect((await withConfiguredLimits(root, counted).dispatch.limits()).threads).toBe(4);
});
