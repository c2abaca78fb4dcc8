import { test } from "vitest";
import { memoryThreadStore } from "./memory-store.ts";
import { threadStoreCases } from "./suite.ts";

test.each(threadStoreCases)("a store in memory $name", async ({ run }) => {
  await run(memoryThreadStore());
});
