import { test } from "vitest";
import { schedulesCases } from "../suite.ts";
import { memorySchedules } from "./memory-schedules.ts";

test.each(schedulesCases)("memory $name", async ({ run }) => {
  await run(memorySchedules());
});
