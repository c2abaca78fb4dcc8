/** Worker tasks as a step in a sandbox reaches them: each request goes to the engine, which decides what the step may. */
import {
  failure,
  type StepStoreAddress,
  type StepTaskRequest,
  TASK_MESSAGES,
  TASK_STATES,
  type Task,
  type TaskMessage,
  type TaskStore,
  unwrap,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { callersTask } from "@uncaged/workflow-tasks";
import type { Repository } from "@uncaged/workflow-workspace";
import { z } from "zod";
import { askStepTask } from "../command/ask-step-store.ts";
import type { Io } from "../command/io.ts";

const text = z.string();
const nullable = text.nullable();
const number = z.number().nullable();
const state = z.enum(TASK_STATES);
const task: z.ZodType<Task> = z.object({
  ...{ repository: text, id: text, state, revision: z.number(), branch: text, worktree: text },
  ...{ description: text, integration: text, attempt: z.number(), tokenSha256: text },
  ...{ who: nullable, workers: z.array(text), head: nullable, merged: nullable, note: nullable },
  ...{ assignedAt: z.number(), changedAt: z.number(), heartbeatAt: number, progress: number },
  ...{ workflow: nullable, thread: nullable },
});
const message: z.ZodType<TaskMessage> = z.object({
  ...{ repository: text, id: text, seq: z.number(), type: z.enum(TASK_MESSAGES) },
  ...{ attempt: z.number(), from: state.nullable(), to: state, at: z.number() },
  ...{ who: nullable, text: nullable },
});
const ONE = z.object({ task: task.nullable() });
const ALL = z.object({ tasks: z.array(task) });
const MESSAGES = z.object({ messages: z.array(message) });
const TAKEN = z.object({ taken: z.boolean() });
const REVIEWER = z.object({ mayReview: z.boolean() });

/** `here`: where the command was called. */
export async function stepTasks(
  step: StepStoreAddress,
  here: Repository,
  env: Io["env"],
): Promise<TaskStore> {
  const context = await callersTask(here, env);
  const token = context?.token ?? null;
  const ask = async <T>(request: StepTaskRequest, shape: z.ZodType<T>): Promise<T> =>
    unwrap(await askStepTask(step, request, shape));
  return {
    async get({ repository, id }) {
      return (await ask({ op: "get", repository, id }, ONE)).task;
    },
    async list(repository) {
      return (await ask({ op: "list", repository: repository ?? here.commonDir }, ALL)).tasks;
    },
    async messages({ repository, after, limit }) {
      const request = { repository: repository ?? here.commonDir, after, limit };
      return (await ask({ op: "messages", ...request }, MESSAGES)).messages;
    },
    async beat({ repository, id, attempt }, { progress, who }) {
      const request = { repository, id, attempt, progress, who, token: token ?? "" };
      return (await ask({ op: "beat", ...request }, TAKEN)).taken;
    },
    async move({ task: { repository, id, revision }, to, set, message }) {
      const request = { repository, id, revision, token, to, set, message };
      return (await ask({ op: "move", ...request }, ONE)).task;
    },
    add: () => Promise.reject(notServed()),
    amend: () => Promise.reject(notServed()),
    close: () => Promise.resolve(),
  };
}

/** Whether the role of the step may review tasks. */
export async function stepMayReview(step: StepStoreAddress): Promise<boolean> {
  return unwrap(await askStepTask(step, { op: "reviewer" }, REVIEWER)).mayReview;
}

function notServed(): WorkflowError {
  return new WorkflowError(
    failure("ACCESS_DENIED", "a step in a sandbox makes no tasks", "make it outside the sandbox"),
  );
}
