/** Serves a step's store to commands in a sandbox, over a socket outside the storage root.
 *
 *  1. The agents of other steps run as the same user and may see the socket. So it answers only to who knows the pass,
 *     which is in the environment of this step's programs, and a sandbox hides that of other processes.
 *  2. It is gone with the step.
 *  3. What arrives is data of an agent: bounded, and parsed before anything is done with it. */
import { timingSafeEqual } from "node:crypto";
import { createServer, type Socket } from "node:net";
import {
  failure,
  failureFrom,
  parseJson,
  STEP_STORE_ENV,
  STEP_STORE_REQUEST_BYTES,
  type StepCommandPiece,
  type StepStoreAddress,
  type StepStoreAnswer,
  type StepStoreMessage,
  type StepTaskRequest,
  TASK_MESSAGES,
  TASK_STATES,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import { onOwnSocket } from "../process/own-socket.ts";
import { answerFromStore, runForStep, type StepStore } from "./step-store.ts";

export type LentStore = {
  /** Variables of every program of the step. */
  env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Some may belong to commands that wait. */
const MOST_CONNECTIONS = 64;
/** A request is written at once: what takes longer is no command of ours. */
const IDLE_MS = 60_000;

const text = z.string();
const nullable = text.nullable();
const place = { repository: text, id: text };
const taskRequest: z.ZodType<StepTaskRequest> = z.discriminatedUnion("op", [
  z.object({ op: z.literal("get"), ...place }),
  z.object({ op: z.literal("list"), repository: text }),
  z.object({
    ...{ op: z.literal("messages"), repository: text },
    after: z.int(),
    limit: z.int().min(1).max(1000),
  }),
  z.object({
    ...{ op: z.literal("beat"), ...place, token: text, attempt: z.int() },
    ...{ progress: z.number().min(0).max(1).nullable(), who: nullable },
  }),
  z.object({
    ...{ op: z.literal("move"), ...place, token: nullable, revision: z.int() },
    to: z.enum(TASK_STATES),
    set: z.partialRecord(z.enum(["who", "head", "note"]), nullable),
    message: z.object({ type: z.enum(TASK_MESSAGES), who: nullable, text: nullable }),
  }),
  z.object({ op: z.literal("reviewer") }),
]);
const message: z.ZodType<StepStoreMessage> = z.discriminatedUnion("call", [
  z.object({ call: z.literal("get"), pass: text, hash: text }),
  z.object({ call: z.literal("put"), pass: text, text }),
  z.object({
    ...{ call: z.literal("context"), pass: text, thread: text },
    budgetChars: z.int().positive().nullable(),
    before: z.int().positive().nullable(),
  }),
  z.object({ call: z.literal("task"), pass: text, ask: taskRequest }),
  z.object({
    ...{ call: z.literal("command"), pass: text },
    ...{ words: z.array(text), input: nullable, cwd: text },
  }),
]);

/** `root`: the storage root, links resolved. */
export async function lendStore(
  { root, pass }: Pick<StepStoreAddress, "root" | "pass">,
  store: StepStore,
): Promise<LentStore> {
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connection.setTimeout(IDLE_MS, () => connection.destroy());
    serve(connection, pass, store).catch(() => connection.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  const { path: socket, close } = await onOwnSocket("uwf-store-", server);
  const address: StepStoreAddress = { socket, pass, root };
  return { env: { [STEP_STORE_ENV]: JSON.stringify(address) }, close };
}

async function serve(connection: Socket, pass: string, store: StepStore): Promise<void> {
  const line = await firstLine(connection);
  const parsed = message.safeParse(parseJson(line));
  const answer = parsed.success
    ? await answered(parsed.data, { pass, store, connection })
    : refused("it is no request that this step's store knows");
  connection.end(`${JSON.stringify(answer)}\n`);
}

async function answered(
  asked: StepStoreMessage,
  { pass, store, connection }: { pass: string; store: StepStore; connection: Socket },
): Promise<StepStoreAnswer> {
  if (!isSame(asked.pass, pass)) return refused("this is the store of another step");
  try {
    if (asked.call !== "command") return await answerFromStore(store, asked);
    const say = (piece: StepCommandPiece): Promise<void> =>
      new Promise((resolve) => connection.write(`${JSON.stringify(piece)}\n`, () => resolve()));
    return await runForStep(store, asked, { say, signal: whileOpen(connection) });
  } catch (thrown) {
    return { ok: false, error: failureFrom(thrown, "STORAGE_FAILED") };
  }
}

/** A command may wait for hours. Whoever called it keeps its end of the connection open meanwhile. */
function whileOpen(connection: Socket): AbortSignal {
  const gone = new AbortController();
  connection.setTimeout(0);
  for (const event of ["end", "close"] as const) connection.once(event, () => gone.abort());
  connection.resume();
  return gone.signal;
}

function isSame(given: string, pass: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(pass)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refused(message: string): StepStoreAnswer {
  const hint =
    "run uncaged-workflow as the agent of the step, with the variables that it was given";
  return { ok: false, error: failure("ACCESS_DENIED", message, hint) };
}

async function firstLine(connection: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of connection.iterator({ destroyOnReturn: false })) {
    const data = Buffer.from(chunk);
    const end = data.indexOf(10);
    chunks.push(end < 0 ? data : data.subarray(0, end));
    bytes += data.length;
    if (bytes > STEP_STORE_REQUEST_BYTES) throw new Error("the request is too long");
    if (end >= 0) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
