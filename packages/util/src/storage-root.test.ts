import { WorkflowError } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { storagePaths, storageRoot } from "./storage-root.ts";

const HASH = "EYHPV6X8XHTCS";
const THREAD = "01HY5DD8M0ABCDEFGHJKMNPQRS";

test("the product's own variable takes precedence over the general one, and both over the home folder", () => {
  const own = { UNCAGED_WORKFLOW_STORAGE_ROOT: "/own" };
  const general = { WORKFLOW_STORAGE_ROOT: "/general" };
  expect(storageRoot({ ...own, ...general }, "/home/ada")).toBe("/own");
  expect(storageRoot(general, "/home/ada")).toBe("/general");
  expect(storageRoot({}, "/home/ada")).toBe("/home/ada/.uncaged/workflow");
});

test("an empty variable counts as unset", () => {
  expect(storageRoot({ UNCAGED_WORKFLOW_STORAGE_ROOT: "" }, "/h")).toBe("/h/.uncaged/workflow");
});

test("a relative root is taken from the working directory", () => {
  expect(storageRoot({ WORKFLOW_STORAGE_ROOT: "store" }, "/h")).toBe(`${process.cwd()}/store`);
});

test("everything is in its published place", () => {
  const paths = storagePaths("/r");
  expect(paths).toMatchObject({
    root: "/r",
    registry: "/r/workflow.yaml",
    keyFile: "/r/.env",
    registryLock: "/r/registry.lock",
    index: "/r/index.db",
    cas: "/r/cas",
    bundles: "/r/bundles",
    logs: "/r/logs",
    packages: "/r/node_modules",
    packagesLock: "/r/packages.lock",
  });
  expect(paths.bundle(HASH)).toBe(`/r/bundles/${HASH}`);
  expect(paths.history(HASH)).toBe(`/r/bundles/${HASH}/history`);
  expect(paths.debugLog(THREAD)).toBe(`/r/logs/${THREAD}.info.jsonl`);
  expect(paths.liveFolder(THREAD)).toBe(`/r/logs/${THREAD}.live`);
  expect(paths.runnerLog(THREAD)).toBe(`/r/logs/${THREAD}.runner.log`);
  expect(paths.threadLogs(THREAD)).toHaveLength(4);
});

test.each(["..", "../../etc", "", "EYHPV6X8XHTC", "eyhpv6x8xhtcs", `${HASH}/..`, `${HASH}\n`])(
  "%j never becomes part of a path",
  (text) => {
    const paths = storagePaths("/r");
    for (const make of [
      paths.bundle,
      paths.history,
      paths.debugLog,
      paths.liveFolder,
      paths.threadLogs,
    ]) {
      expect(() => make(text)).toThrow(WorkflowError);
    }
  },
);

test("the environment of this process can be passed as it is", () => {
  expect(storageRoot(process.env)).toMatch(/^\//);
});
