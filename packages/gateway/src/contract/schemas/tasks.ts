import { TASK_STATES } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { noPath, positive, text, unixMs } from "./parts.ts";

export const TASKS: SchemasOf<"listTasks"> = {
  listTasks: {
    ...noPath,
    body: null,
    response: z.object({
      tasks: z.array(
        z.object({
          repository: text,
          id: text,
          state: z.enum(TASK_STATES),
          branch: text,
          worktree: text,
          description: text,
          integration: text,
          attempt: positive,
          who: text.nullable(),
          workers: z.array(text),
          head: text.nullable(),
          merged: text.nullable(),
          note: text.nullable(),
          assignedAt: unixMs,
          changedAt: unixMs,
          heartbeatAt: unixMs.nullable(),
          progress: z.number().nullable(),
          workflow: text.nullable(),
          thread: text.nullable(),
          stale: z.boolean(),
        }),
      ),
    }),
  },
};
