import { checkCache } from "@uncaged/workflow-execute";
import type { TaskDefaults } from "@uncaged/workflow-register";
import {
  gateCheck,
  type TaskDesk,
  type TaskSettings,
  type TreeCheck,
} from "@uncaged/workflow-tasks";

/** What `workflow.yaml` says about tasks, with the usual where it says nothing. */
export function taskSettings({ integration, worktrees, setup }: TaskDefaults): TaskSettings {
  return {
    integration: integration ?? "main",
    worktrees,
    setup: setup === null ? null : ["sh", "-c", setup],
  };
}

/** How many tasks are merged before one check, unless somebody says otherwise. */
export const MERGED_AT_ONCE = 8;

/** The check that a merged tree must pass. `command`: for a shell. */
export function mergeCheck(desk: TaskDesk, command: string, root: string): TreeCheck {
  return gateCheck(desk, { command, cache: checkCache(root) });
}
