/** The tools of a coordinator. Each answers in words: a limit, too, is something that it is told. */
import {
  type EngineTool,
  failureFrom,
  type JsonObject,
  type JsonValue,
  toJsonObject,
  type WorkerTool,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { Worker } from "../chain/worker-book.ts";
import { runnableWorkflow } from "../start/runnable-workflow.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";
import { threadActivity } from "../watch/thread-activity.ts";
import { tokensOf } from "./notification.ts";
import type { DeskHand } from "./worker-desk.ts";
import { whyNoWorker } from "./worker-limits.ts";

type Answer = { text: string; ok: boolean };

const yes = (value: JsonValue): Answer => ({ text: JSON.stringify(value, null, 2), ok: true });
const no = (why: string): Answer => ({ text: `Not done: ${why}.`, ok: false });

const id = z.string().min(1).describe("the worker's id, such as w1");

export function workerTools(hand: DeskHand): EngineTool[] {
  const { workflows, agents } = hand.coordinates;
  return [
    toolOf({
      name: "worker_spawn",
      description:
        "Starts a worker and returns at once with its id. You are told when it ends: do not wait for it.",
      arguments: z.strictObject({
        title: z.string().trim().min(1).max(120).describe("what it does, in a few words"),
        prompt: z.string().trim().min(1).describe("everything that it has to know"),
        workflow: oneOf(workflows).optional(),
        agent: oneOf(agents ?? []).optional(),
      }),
      readOnly: false,
      call: (asked) => spawn(hand, asked),
    }),
    toolOf({
      name: "worker_message",
      description:
        "Goes on with a worker that has ended, or that asks something, in its own conversation. You are told when it ends again.",
      arguments: z.strictObject({ id, text: z.string().trim().min(1) }),
      readOnly: false,
      call: (asked) => message(hand, asked),
    }),
    toolOf({
      name: "worker_stop",
      description: "Ends a worker that is running.",
      arguments: z.strictObject({ id }),
      readOnly: false,
      call: (asked) => stop(hand, asked),
    }),
    toolOf({
      name: "worker_list",
      description: "Your workers: state, what they do now, what they used.",
      arguments: z.strictObject({}),
      readOnly: true,
      call: async () =>
        yes(await Promise.all([...hand.book().workers.values()].map((each) => listed(hand, each)))),
    }),
  ];
}

function oneOf(names: readonly string[]) {
  const [first, ...others] = names;
  if (first === undefined) return z.never().describe("there is no choice");
  return z.enum([first, ...others]).describe(`default: ${first}`);
}

async function spawn(
  hand: DeskHand,
  asked: {
    title: string;
    prompt: string;
    workflow?: string | undefined;
    agent?: string | undefined;
  },
): Promise<Answer> {
  const { coordinates, engine } = hand;
  const workflow = asked.workflow ?? coordinates.workflows[0] ?? "";
  const agent = asked.agent ?? coordinates.agents?.[0] ?? null;
  const runnable = await runnableWorkflow(engine, workflow);
  if (!runnable.ok) return no(runnable.error.message);
  const noted = await hand.alone(async () => {
    const book = hand.book();
    const spent = await hand.shareBudget();
    const about = { spent, nowMs: engine.now(), isNew: true };
    const refusal = whyNoWorker(book, coordinates, about);
    if (refusal !== null) return refusal;
    const worker = `w${book.workers.size + 1}`;
    await hand.note({
      meta: { kind: "spawn", worker, title: asked.title, workflow, agent, limits: {} },
      content: asked.prompt,
      childThread: null,
    });
    return hand.book().workers.get(worker) ?? "the note of it cannot be read";
  });
  if (typeof noted === "string") return no(noted);
  const thread = await hand.follow(noted);
  return yes({ id: noted.id, status: "running", thread });
}

async function message(hand: DeskHand, asked: { id: string; text: string }): Promise<Answer> {
  const noted = await hand.alone(async () => {
    const worker = hand.book().workers.get(asked.id);
    if (worker === undefined) return unknown(hand, asked.id);
    if (worker.ended === null)
      return `${worker.id} is running; you are told when it ends, and it can be told something then`;
    const { status } = worker.ended;
    if (status === "failed" || status === "killed")
      return `${worker.id} has ${status === "failed" ? "failed" : "been ended"} and cannot go on; start another worker`;
    const { coordinates, engine } = hand;
    const spent = await hand.shareBudget();
    const about = { spent, nowMs: engine.now(), isNew: false };
    const refusal = whyNoWorker(hand.book(), coordinates, about);
    if (refusal !== null) return refusal;
    const threadId = hand.threadOf(worker.id);
    const seen = threadId === null ? null : await lookAtThread(hand.engine, threadId);
    if (seen?.status !== "suspended")
      return `${worker.id} does not wait for you any more: its thread is ${seen?.status ?? "gone"}`;
    await hand.note({
      meta: { kind: "message", worker: worker.id, steps: seen.thread.stepCount },
      content: asked.text,
      childThread: threadId,
    });
    return hand.book().workers.get(worker.id) ?? unknown(hand, asked.id);
  });
  if (typeof noted === "string") return no(noted);
  await hand.follow(noted);
  return yes({ id: noted.id, status: "running" });
}

async function stop(hand: DeskHand, asked: { id: string }): Promise<Answer> {
  return hand.alone(async () => {
    const worker = hand.book().workers.get(asked.id);
    if (worker === undefined) return no(unknown(hand, asked.id));
    if (worker.ended !== null) return no(`${worker.id} has ended: ${worker.ended.status}`);
    if (!worker.isStopped)
      await hand.note({
        meta: { kind: "stop", worker: worker.id },
        content: "",
        childThread: hand.threadOf(worker.id),
      });
    return yes({ id: worker.id, status: "is being ended; you are told when it has" });
  });
}

function unknown(hand: DeskHand, asked: string): string {
  const known = [...hand.book().workers.keys()];
  return `there is no worker ${JSON.stringify(asked)}${known.length === 0 ? "" : `; there are ${known.join(", ")}`}`;
}

async function listed(hand: DeskHand, worker: Worker): Promise<JsonObject> {
  const { id: name, title, ended } = worker;
  const thread = hand.threadOf(name);
  const seen = thread === null ? null : await lookAtThread(hand.engine, thread);
  const activity =
    thread === null || ended !== null ? null : await threadActivity(hand.engine.live, thread);
  const current = activity?.current ?? activity?.recent.at(-1) ?? null;
  return {
    id: name,
    title,
    status: ended?.status ?? seen?.status ?? "running",
    ...(ended === null ? {} : { summary: ended.summary }),
    ...(activity === null ? {} : { role: activity.role }),
    ...(current === null ? {} : { doing: [current.tool, current.text].filter(Boolean).join(": ") }),
    tokens: tokensOf(seen?.thread.usage ?? null),
    thread,
  };
}

/** Whatever goes wrong is an answer: only the desk's own watch ends the step. */
function toolOf<T>(about: {
  name: WorkerTool;
  description: string;
  arguments: z.ZodType<T>;
  readOnly: boolean;
  call(input: T): Promise<Answer>;
}): EngineTool {
  const { name, description, arguments: schema, readOnly } = about;
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return {
    ...{ name, description, readOnly },
    parameters: toJsonObject(parameters) ?? {},
    async call(input) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return no(`the arguments do not fit: ${z.prettifyError(parsed.error)}`);
      try {
        return await about.call(parsed.data);
      } catch (thrown) {
        return no(failureFrom(thrown, "INTERNAL").message);
      }
    },
  };
}
