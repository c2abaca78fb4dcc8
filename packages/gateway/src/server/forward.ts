/** Passes a call on to an engine, and its answer back: the listed headers and the bytes, nothing else. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import type { Writable } from "node:stream";
import type { Judged } from "../gate/judge-request.ts";
import type { Refusal } from "../gate/refusal.ts";
import { answerFailure } from "./answer.ts";
import { compressor, type Encoding, encodingOf } from "./encodings.ts";

const FROM_CALLERS = [
  "accept",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
];
const FROM_SENDERS = [
  "content-type",
  "webhook-id",
  "webhook-signature",
  "webhook-timestamp",
  "x-github-delivery",
  "x-github-event",
  "x-hub-signature-256",
];
const FROM_ENGINES = ["content-type", "etag", "retry-after"];

export type Forward = {
  session: ClientHttp2Session;
  /** Behind `/api/c/:client`, with the query. */
  path: string;
  request: Judged;
  who: string;
  scopes: readonly string[];
  maxBodyBytes: number;
  /** The answer may be kept, and is asked for again by its ETag. */
  isNamed: boolean;
  /** Until the answer begins. Milliseconds. */
  deadlineMs: number;
};

/** Resolves with the status of the answer once it begins. */
export function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { session, path, request, who, scopes, maxBodyBytes, isNamed, deadlineMs }: Forward,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const listed = request.kind === "hook" ? FROM_SENDERS : FROM_CALLERS;
  const hasBody = request.headers.has("content-length") || request.headers.has("transfer-encoding");
  const head = {
    ":method": request.method,
    ":path": path,
    ...chosen(listed, (name) => request.headers.get(name)),
    "x-uwf-who": encodeURIComponent(who),
    "x-uwf-scope": scopes.join(" "),
  };
  const stream = open(session, head, !hasBody);
  const fail = (status: 413 | 502 | 504): void => {
    stream?.close(constants.NGHTTP2_CANCEL);
    if (outgoing.headersSent) outgoing.destroy();
    else answerFailure(outgoing, status === 413 ? tooLarge(maxBodyBytes) : FAILURES[status]);
    resolve(status);
  };
  if (stream === null) {
    fail(502);
    return promise;
  }
  const encodingFor = (head: IncomingHttpHeaders): Encoding | null => {
    const bytes = head["content-length"];
    return encodingOf(
      { type: head["content-type"] ?? "", bytes: bytes === undefined ? null : Number(bytes) },
      request.headers.get("accept-encoding"),
    );
  };
  let isWhole = false;
  const deadline = setTimeout(() => fail(504), deadlineMs);
  stream.on("response", (head) => {
    clearTimeout(deadline);
    const status = Number(head[":status"]);
    const encoding = request.method === "HEAD" || status !== 200 ? null : encodingFor(head);
    // Kept only by the browser that asked, and shown only after the gateway was asked again, who may see it.
    const isKept = isNamed && head.etag !== undefined && (status === 200 || status === 304);
    outgoing.writeHead(status, {
      ...chosen(FROM_ENGINES, (name) => String(head[name] ?? "")),
      "cache-control": isKept ? "private, no-cache" : "no-store",
      vary: "accept-encoding",
      // A known length saves the caller, and this process, the pieces that say where an answer ends.
      ...(encoding === null && status !== 304
        ? chosen(["content-length"], (name) => String(head[name] ?? ""))
        : encoding === null
          ? {}
          : { "content-encoding": encoding }),
    });
    // With a length the bytes follow at once, and the head goes out with them. Events may be a long time coming.
    if (head["content-length"] === undefined) outgoing.flushHeaders();
    pass(stream, encoding === null ? outgoing : compressedInto(outgoing, encoding));
    resolve(status);
  });
  stream.on("end", () => {
    isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR;
  });
  stream.on("error", () => fail(502));
  stream.on("close", () => {
    clearTimeout(deadline);
    if (!isWhole) fail(502);
  });
  outgoing.on("close", () => {
    clearTimeout(deadline);
    stream.close(constants.NGHTTP2_CANCEL);
    resolve(outgoing.statusCode);
  });
  if (hasBody) send(incoming, stream, { maxBodyBytes, tooMuch: () => fail(413) });
  return promise;
}

function open(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  endStream: boolean,
): ClientHttp2Stream | null {
  try {
    return session.request(headers, { endStream });
  } catch {
    return null; // It has just gone.
  }
}

/** What breaks here ends at `outgoing`, which closes then. */
function compressedInto(outgoing: ServerResponse, encoding: Encoding): Writable {
  const compressed = compressor(encoding);
  compressed.on("error", () => outgoing.destroy());
  outgoing.on("close", () => compressed.destroy());
  compressed.pipe(outgoing);
  return compressed;
}

/** Not `pipe`: a stream that is reset in the middle must not look like one that has ended. */
function pass(stream: ClientHttp2Stream, outgoing: Writable): void {
  stream.on("data", (chunk: Buffer) => {
    if (outgoing.write(chunk)) return;
    stream.pause();
    outgoing.once("drain", () => stream.resume());
  });
  stream.on("end", () => {
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR) outgoing.end();
  });
}

function send(
  incoming: IncomingMessage,
  stream: ClientHttp2Stream,
  { maxBodyBytes, tooMuch }: { maxBodyBytes: number; tooMuch: () => void },
): void {
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) {
      incoming.pause();
      tooMuch();
      return;
    }
    if (stream.destroyed || stream.write(chunk)) return;
    incoming.pause();
    stream.once("drain", () => incoming.resume());
  });
  incoming.on("end", () => stream.end());
  incoming.on("error", () => stream.close(constants.NGHTTP2_CANCEL));
}

function chosen(
  names: readonly string[],
  read: (name: string) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name);
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

function tooLarge(maxBodyBytes: number): Refusal {
  const message = `the body is larger than ${maxBodyBytes / 1024 / 1024} MiB`;
  return { status: 413, code: "REQUEST_REFUSED", message, hint: "send less" };
}

const FAILURES = {
  502: {
    status: 502,
    code: "CLIENT_GONE",
    message: "the engine went away before it answered",
    hint: "look whether the call had an effect before you repeat it",
  },
  504: {
    status: 504,
    code: "CLIENT_GONE",
    message: "the engine did not answer in time",
    hint: "look whether the call had an effect before you repeat it",
  },
} as const;
