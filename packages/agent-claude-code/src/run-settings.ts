import type { JsonObject } from "@uncaged/workflow-protocol";

/** Settings for one run, passed with `--settings`; none of the user's files is touched.
 *
 *  1. With a policy every tool is a question to us (`ask: ["*"]`), and ask takes precedence over whatever another
 *     settings file allows. The agent waits for the answer: when nobody is there to give it, the tool does not run.
 *  2. Tools that wait for a person, or outlive the turn, are not offered: nobody is there, and nothing may stay.
 *  3. The content of `reminderFile` is shown to the agent again whenever its memory is compacted. */
export function runSettings(run: { asksForEveryTool: boolean; reminderFile: string }): JsonObject {
  const remind = [{ hooks: [{ type: "command", command: `cat ${quoted(run.reminderFile)}` }] }];
  return {
    permissions: { deny: NOT_OFFERED, ...(run.asksForEveryTool ? { ask: ["*"] } : {}) },
    hooks: { SessionStart: remind, PreCompact: remind },
  };
}

const NOT_OFFERED = [
  "AskUserQuestion",
  "CronCreate",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "ScheduleWakeup",
];

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
