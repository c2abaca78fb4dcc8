import { test } from "vitest";
import { dispatchCases, threadStoreCases } from "../suite.ts";
import { memoryIndex, memoryThreadStore } from "./memory-store.ts";

test.each(threadStoreCases)("a store in memory $name", async ({ run }) => {
  await run(memoryThreadStore());
});

test.each(dispatchCases)("a queue in memory $name", async ({ run }) => {
  await run(memoryIndex());
});
