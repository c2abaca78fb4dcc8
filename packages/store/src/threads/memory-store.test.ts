import { test } from "vitest";
import { threadStoreCases } from "../suite.ts";
import { memoryThreadStore } from "./memory-store.ts";

test.each(threadStoreCases)("a store in memory $name", async ({ run }) => {
  await run(memoryThreadStore());
});
