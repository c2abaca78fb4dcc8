/** What a step in a sandbox may do with the store: read its own thread, load a text by its hash, store one, do to worker
 *  tasks what its agent may, and have a command carried out. */
import {
  type CasStore,
  err,
  type Failure,
  failure,
  isHash,
  ok,
  type Result,
  type StepCommand,
  type StepStoreAnswer,
  type StepStoreRequest,
  type StepTaskRequest,
  type ThreadContext,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";

export type StepStore = {
  threadId: string;
  cas: Pick<CasStore, "get" | "put">;
  readThread: WorkflowRuntime["readThread"];
  askTasks: WorkflowRuntime["askTasks"];
  runCommand: WorkflowRuntime["runCommand"];
  /** What an agent stores may hold secrets that it has seen. */
  redact: Redactor;
};

/** Of the step that an adapter runs. */
export function stepStoreOf(
  { threadId }: Pick<ThreadContext, "threadId">,
  { cas, readThread, askTasks, runCommand }: WorkflowRuntime,
  redact: Redactor,
): StepStore {
  return { threadId, cas, readThread, askTasks, runCommand, redact };
}

export async function answerFromStore(
  store: StepStore,
  request: Exclude<StepStoreRequest, { call: "command" }>,
): Promise<StepStoreAnswer> {
  switch (request.call) {
    case "get":
      return isHash(request.hash)
        ? { ok: true, blob: await store.cas.get(request.hash) }
        : { ok: false, error: noHash(request.hash) };
    case "put":
      return { ok: true, hash: await store.cas.put(store.redact(request.text)) };
    case "context": {
      const page = await ownPage(store, request);
      return page.ok ? { ok: true, ...page.value } : page;
    }
    case "task": {
      if (store.askTasks === undefined) return err(notServed("tasks"));
      const answer = await store.askTasks(withoutSecrets(request.ask, store.redact));
      return answer.ok ? { ok: true, answer: answer.value } : answer;
    }
  }
}

/** `world`: where to say what it writes, and when nobody listens any more. */
export async function runForStep(
  { runCommand, redact }: StepStore,
  { words, input, cwd }: StepCommand,
  world: Parameters<NonNullable<WorkflowRuntime["runCommand"]>>[1],
): Promise<StepStoreAnswer> {
  if (runCommand === undefined) return err(notServed("commands"));
  const command = {
    words: words.map((word) => redact(word)),
    input: input === null ? null : redact(input),
    cwd,
  };
  const ended = await runCommand(command, world);
  return ended.ok ? { ok: true, exitCode: ended.value } : ended;
}

async function ownPage(
  { threadId, readThread }: StepStore,
  { thread, budgetChars, before }: Extract<StepStoreRequest, { call: "context" }>,
): Promise<Result<{ page: unknown; text: string }, Failure>> {
  if (readThread === undefined || thread.toUpperCase() !== threadId)
    return err(notOwn(thread, threadId));
  return ok(await readThread({ budgetChars, before }));
}

/** What an agent says of a task is stored and shown. */
function withoutSecrets(ask: StepTaskRequest, redact: Redactor): StepTaskRequest {
  if (ask.op !== "move") return ask;
  const clean = (text: string | null): string | null => (text === null ? null : redact(text));
  const { set, message } = ask;
  return {
    ...ask,
    set: set.note === undefined ? set : { ...set, note: clean(set.note) },
    message: { ...message, text: clean(message.text) },
  };
}

function notServed(what: string): Failure {
  return failure(
    "ACCESS_DENIED",
    `the engine of this step serves no ${what}`,
    "call the command outside the sandbox, or with a newer uncaged-workflow",
  );
}

function noHash(text: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(text.slice(0, 40))} is not a hash`,
    "a hash has 13 characters, as cas put prints them",
  );
}

function notOwn(asked: string, threadId: string): Failure {
  return failure(
    "ACCESS_DENIED",
    `${JSON.stringify(asked.slice(0, 40))} is not the thread of this step`,
    `a step in a sandbox reads its own thread only: uncaged-workflow thread context ${threadId}`,
  );
}
