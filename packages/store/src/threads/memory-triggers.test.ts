import { test } from "vitest";
import { triggersCases } from "../suite.ts";
import { memoryTriggers } from "./memory-triggers.ts";

test.each(triggersCases)("memory $name", async ({ run }) => {
  await run(memoryTriggers());
});
