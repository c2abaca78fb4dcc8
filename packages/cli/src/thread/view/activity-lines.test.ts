import type { Activity, ThreadActivity } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { printableOutput } from "../../terminal/printable.ts";
import { styleOf } from "../../terminal/style.ts";
import { activityLines } from "./activity-lines.ts";

const style = styleOf({ color: false, columns: null });
const activity = (over: Partial<Activity>): Activity => ({
  ...{ type: "text", role: "coder", round: 2, tool: null, text: "", timestamp: 60_000 },
  ...over,
});

it("shows the step, what was done, and last what is being done", () => {
  const current = activity({ type: "tool_start", tool: "Read", text: '{"a":1}' });
  const shown: ThreadActivity = {
    ...{ role: "coder", round: 2, agent: "claude", since: 30_000, current },
    recent: [
      activity({ type: "result", round: 1, role: "planner", text: "{}", timestamp: 1_000 }),
      current,
      activity({ type: "error", tool: "Bash", text: "\u001b[2Jno" }),
    ],
  };
  expect(printableOutput(activityLines(shown, { style, nowMs: 61_000 }))).toBe(
    [
      "now #2 coder  claude  for 31 s",
      "  1 min ago   #1 planner < {}",
      "  1.0 s ago   ! Bash ␛[2Jno",
      '  for 1.0 s   > Read {"a":1}',
      "",
    ].join("\n"),
  );
});
