/** What a step in a sandbox may do with the store: read its own thread, load a text by its hash, store one. */
import {
  type CasStore,
  err,
  type Failure,
  failure,
  isHash,
  ok,
  type Result,
  type StepStoreAnswer,
  type StepStoreRequest,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";

export type StepStore = {
  threadId: string;
  cas: Pick<CasStore, "get" | "put">;
  readThread: WorkflowRuntime["readThread"];
  /** What an agent stores may hold secrets that it has seen. */
  redact: Redactor;
};

export async function answerFromStore(
  store: StepStore,
  request: StepStoreRequest,
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
  }
}

async function ownPage(
  { threadId, readThread }: StepStore,
  { thread, budgetChars, before }: Extract<StepStoreRequest, { call: "context" }>,
): Promise<Result<{ page: unknown; text: string }, Failure>> {
  if (readThread === undefined || thread.toUpperCase() !== threadId)
    return err(notOwn(thread, threadId));
  return ok(await readThread({ budgetChars, before }));
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
