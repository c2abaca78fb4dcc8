import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok, type Result } from "@uncaged/workflow-protocol";
import { expect, it, onTestFinished } from "vitest";
import { fakeIo } from "../command/io.test.helper.ts";
import { withPackagesLock } from "./packages-lock.ts";

it("waits no longer than it may, and leaves the work undone", async () => {
  const root = mkdtempSync(join(tmpdir(), "uwf-packages-lock-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const io = fakeIo({});
  const never = new AbortController().signal;
  const soon = AbortSignal.timeout(250);
  const worked: string[] = [];
  const work = (name: string) => async (): Promise<Result<string, never>> => {
    worked.push(name);
    return ok(name);
  };
  await withPackagesLock({ root, signal: never, io }, async () => {
    const second = await withPackagesLock({ root, signal: soon, io }, work("second"));
    expect(second).toMatchObject({ ok: false, error: { code: "INSTALL_FAILED" } });
    return ok(null);
  });
  const third = await withPackagesLock({ root, signal: never, io }, work("third"));
  expect([third, worked]).toEqual([ok("third"), ["third"]]);
});
