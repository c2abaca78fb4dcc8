import {
  DEFAULT_POOL,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  THREAD_STATUSES,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { Io } from "../command/io.ts";
import { context as threadContext } from "../thread/look/context.ts";
import { list as listThreads } from "../thread/look/list.ts";
import { runWorkflow } from "../thread/start/run.ts";
import { resume as resumeThread } from "../thread/steer/steer.ts";
import { list as listWorkflows } from "../workflow/list.ts";
import { pokeApart } from "./poke-apart.ts";
import { showLatest } from "./show-latest.ts";
import { type Tool, toolOf } from "./tool.ts";

const thread = z.string().min(1).describe("thread id, or its beginning or end");
const count = z.int().positive();

const context: Tool = toolOf({
  name: "thread_context",
  description:
    "The latest page of a thread's conversation. It says which `before` returns the previous page.",
  arguments: z.strictObject({
    thread: thread.optional().describe("default: the thread you work in, if any"),
    before: count.optional().describe("only what comes before this round"),
    budget: z.int().min(200).optional().describe("at most this many characters; default 8000"),
  }),
  readOnly: true,
  async call({ thread: id, before = null, budget = null }, { io }) {
    const found = id === undefined ? withLease(io) : ok(id);
    if (!found.ok) return found;
    return threadContext({ id: found.value, budget, before }, io);
  },
});

const workflows: Tool = toolOf({
  name: "workflow_list",
  description: "The registered workflows, which `thread_start` can start.",
  arguments: z.strictObject({}),
  readOnly: true,
  call: async (_input, { io }) => listWorkflows(io),
});

const start: Tool = toolOf({
  name: "thread_start",
  description: "Starts a thread of a workflow in the background and returns its id at once.",
  arguments: z.strictObject({
    workflow: z.string().min(1),
    prompt: z.string(),
    cwd: z
      .string()
      .optional()
      .describe("directory in which its roles work; default: the server's own"),
    key: z
      .string()
      .optional()
      .describe("the same key returns the same thread, however often the call is repeated"),
  }),
  readOnly: false,
  async call({ workflow, prompt, cwd = null, key = null }, { io }) {
    const source = { kind: "text", text: prompt } as const;
    return runWorkflow(
      {
        ...{ workflow, prompt: source, startKey: key, cwd, limits: null },
        ...{ title: null, labels: {}, stay: "background" },
        queueing: { priority: 0, queue: null, pool: DEFAULT_POOL, needs: [] },
      },
      io,
    );
  },
});

const list: Tool = toolOf({
  name: "thread_list",
  description: "Threads, newest first.",
  arguments: z.strictObject({
    workflow: z.string().optional().describe("only threads of this workflow"),
    status: z.enum(THREAD_STATUSES).optional(),
    limit: count.optional().describe("default 20"),
  }),
  readOnly: true,
  async call({ workflow = null, status = null, limit = 20 }, { io }) {
    return listThreads({ workflow, status, limit, withinMs: null, text: null, labels: {} }, io);
  },
});

const show: Tool = toolOf({
  name: "thread_show",
  description:
    "Shows a thread: status, latest steps with their results, what it waits for, how it ended. Long texts are shortened; `cas_get` with a step's `contentHash` returns the whole text.",
  arguments: z.strictObject({
    thread,
    last: count.optional().describe("how many of its latest steps; default 10"),
  }),
  readOnly: true,
  call: ({ thread: id, last = 10 }, { io }) => showLatest({ id, last }, io),
});

const resume: Tool = toolOf({
  name: "thread_resume",
  description:
    "Continues a thread in the background: unpauses it, answers its question, or replaces its lost runner.",
  arguments: z.strictObject({
    thread,
    answer: z.string().optional().describe("the answer to a suspended thread's question"),
  }),
  readOnly: false,
  async call({ thread: id, answer }, { io }) {
    const source = answer === undefined ? null : ({ kind: "text", text: answer } as const);
    const choice = { kind: "one", id } as const;
    return resumeThread({ choice, answer: source, limits: null, stay: "background" }, io);
  },
});

const poke: Tool = toolOf({
  name: "thread_poke",
  description:
    "Runs a thread's last step again with an extra prompt, and waits for it; the new step replaces the old one.",
  arguments: z.strictObject({
    thread,
    prompt: z.string().min(1),
    agent: z.string().optional().describe("another agent of config.agents to play it"),
  }),
  readOnly: false,
  call: ({ thread: id, prompt, agent = null }, { io, signal }) =>
    pokeApart({ id, prompt, agent, signal }, io),
});

export const THREAD_TOOLS: readonly Tool[] = [context, workflows, start, list, show, resume, poke];

/** The thread of the step that started us. */
function withLease({ env }: Pick<Io, "env">): Result<string, Failure> {
  const id = env.UNCAGED_THREAD_ID ?? "";
  if (id !== "") return ok(id);
  return err(
    failure("USAGE", "no thread is named, and you are not working in one", "give `thread`"),
  );
}
