import { test } from "vitest";
import { taskCases } from "../suite.ts";
import { memoryTasks } from "./memory-tasks.ts";

test.each(taskCases)("memory $name", async ({ run }) => {
  await run(memoryTasks());
});
