/** One request to the store of a step, over the socket that the engine lends its sandbox. */
import { connect } from "node:net";
import {
  err,
  type Failure,
  failure,
  isErrorCode,
  ok,
  parseJson,
  type Result,
  STEP_STORE_REQUEST_BYTES,
  type StepStoreAddress,
  type StepStoreMessage,
  type StepStoreRequest,
  type StepTaskRequest,
} from "@uncaged/workflow-protocol";
import { z } from "zod";

export const refusal: z.ZodType<{ ok: false; error: Failure }> = z.object({
  ok: z.literal(false),
  error: z.object({
    code: z.string().refine(isErrorCode),
    message: z.string(),
    hint: z.string(),
  }),
});

const ANSWER_BYTES = 256 * 1024 * 1024;
const IDLE_MS = 60_000;

/** null: the store has no such blob. */
export async function stepBlob(
  store: StepStoreAddress,
  hash: string,
): Promise<Result<string | null, Failure>> {
  const answer = await ask(store, { call: "get", hash }, blob);
  return answer.ok ? ok(answer.value.blob) : answer;
}

/** Returns the hash. */
export async function storeInStep(
  store: StepStoreAddress,
  text: string,
): Promise<Result<string, Failure>> {
  const answer = await ask(store, { call: "put", text }, stored);
  return answer.ok ? ok(answer.value.hash) : answer;
}

export async function stepContext(
  store: StepStoreAddress,
  page: Omit<Extract<StepStoreRequest, { call: "context" }>, "call">,
): Promise<Result<{ page: unknown; text: string }, Failure>> {
  return ask(store, { call: "context", ...page }, context);
}

/** What the engine does to worker tasks for the step; `shape`: what is expected. */
export async function askStepTask<T>(
  store: StepStoreAddress,
  request: StepTaskRequest,
  shape: z.ZodType<T>,
): Promise<Result<T, Failure>> {
  const answer = await ask(store, { call: "task", ask: request }, z.object({ answer: shape }));
  return answer.ok ? ok(answer.value.answer) : answer;
}

const blob = z.object({ blob: z.string().nullable() });
const stored = z.object({ hash: z.string() });
const context = z.object({ page: z.unknown(), text: z.string() });

async function ask<T>(
  { socket, pass }: StepStoreAddress,
  request: StepStoreRequest,
  shape: z.ZodType<T>,
): Promise<Result<T, Failure>> {
  const message: StepStoreMessage = { ...request, pass };
  const sent = `${JSON.stringify(message)}\n`;
  if (Buffer.byteLength(sent) > STEP_STORE_REQUEST_BYTES) return err(tooLong());
  const line = await exchange(socket, sent);
  if (!line.ok) return line;
  const given = parseJson(line.value);
  const refused = refusal.safeParse(given);
  if (refused.success) return err(refused.data.error);
  const answer = shape.safeParse(given);
  return answer.success ? ok(answer.data) : err(unreachable("it gave no answer"));
}

function exchange(socket: string, request: string): Promise<Result<string, Failure>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const connection = connect(socket);
    connection.setTimeout(IDLE_MS, () => connection.destroy(new Error("it does not answer")));
    connection.on("error", ({ message: why }) => resolve(err(unreachable(why))));
    connection.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) connection.destroy(new Error("its answer is too long"));
      else chunks.push(chunk);
    });
    connection.on("close", () => resolve(ok(Buffer.concat(chunks).toString("utf8"))));
    connection.end(request);
  });
}

export function tooLong(): Failure {
  return failure(
    "USAGE",
    `from a sandbox, a text of up to ${STEP_STORE_REQUEST_BYTES / 1024 / 1024} MiB can be stored`,
    "store it in parts",
  );
}

export function unreachable(why: string): Failure {
  return failure(
    "ACCESS_DENIED",
    `the store of this step cannot be reached from its sandbox: ${why}`,
    "it is there while the step runs, for programs that may connect to a Unix socket; others call the tools thread_context, cas_get, cas_put and uncaged_workflow",
  );
}
