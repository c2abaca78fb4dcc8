import { expect, it } from "vitest";
import { fakeThread } from "../testing/fake-thread.test.helper.ts";
import { buildReminder } from "./build-reminder.ts";
import { threadAccess } from "./thread-access.ts";

const turns = [{ role: "planner", meta: { phases: 1 }, content: "One phase is enough." }];

it("has task, role, step, the step's instructions, and the command for more", async () => {
  const { ctx, runtime } = await fakeThread("Mend slugify.", turns, "Mind the tests.");
  const reminder = await buildReminder(ctx, runtime, threadAccess(ctx.threadId, null, {}));
  for (const told of ["`coder`", "step 2", "Mend slugify.", "Mind the tests."])
    expect(reminder).toContain(told);
  expect(reminder).toContain(`run: uncaged-workflow thread context ${ctx.threadId}`);
  expect(reminder).not.toContain("One phase");
});

it("has the steps themselves for a role that cannot load them, and no command", async () => {
  const { ctx, runtime } = await fakeThread("x".repeat(9_000), turns);
  const access = threadAccess(ctx.threadId, { allow: [{ kind: "read" }] }, {});
  const reminder = await buildReminder(ctx, runtime, access);
  expect(reminder).toContain("## Step 1: planner");
  expect(reminder).toContain("One phase is enough.");
  expect(reminder).not.toContain("uncaged-");
  expect(reminder.length).toBeLessThan(5_000);
});
