/** What makes a caller the agent of a task: the token of its attempt, in the file `.worker-ctx.json` of its worktree or,
 *  below `task run`, in the environment. */
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Task } from "@uncaged/workflow-protocol";
import { readRegularFile, writeFileAtomic } from "@uncaged/workflow-util";
import { z } from "zod";

export const CONTEXT_FILE = ".worker-ctx.json";
/** The content of the file, for what `task run` starts, wherever it goes. */
export const CONTEXT_ENV = "UNCAGED_TASK_CONTEXT";

const MAX_BYTES = 64 * 1024;

export type TaskContext = {
  task: string;
  attempt: number;
  token: string;
  /** As in a `TaskRef`. */
  repository: string;
  branch: string;
  integration: string;
};

const contextSchema: z.ZodType<TaskContext> = z.object({
  task: z.string(),
  attempt: z.number().int().positive(),
  token: z.string(),
  repository: z.string(),
  branch: z.string(),
  integration: z.string(),
});

export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

export function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export async function writeContext(task: Task, token: string): Promise<void> {
  const { id, attempt, repository, branch, integration } = task;
  const context: TaskContext = { task: id, attempt, token, repository, branch, integration };
  await writeFileAtomic({
    path: join(task.worktree, CONTEXT_FILE),
    data: `${JSON.stringify(context, null, 2)}\n`,
    mode: 0o600,
    existing: "replace",
  });
}

/** null: there is none in this folder, or it is not whole. */
export async function contextIn(folder: string): Promise<TaskContext | null> {
  const file = await readRegularFile(join(folder, CONTEXT_FILE), MAX_BYTES);
  return file.ok ? contextOf(file.value.toString("utf8")) : null;
}

/** null: the text is not such a context. */
export function contextOf(text: string): TaskContext | null {
  try {
    const parsed = contextSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
