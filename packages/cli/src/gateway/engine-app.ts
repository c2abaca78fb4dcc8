/** The engine's API: the contract's endpoints over the commands' own functions.
 *
 *  1. It is reached through a gateway and trusts it no further than `--allow`: the scope is checked again.
 *  2. What arrives is parsed by the contract's schemas before anything is done with it. */

import { isUtf8 } from "node:buffer";
import { isHeld, MAX_BLOB_BYTES, MAX_BODY_BYTES, oneTag } from "@uncaged/workflow-gateway";
import {
  ENDPOINTS,
  type EndpointName,
  type EngineEndpoint,
  isGatewayEndpoint,
} from "@uncaged/workflow-gateway/contract";
import { SCHEMAS } from "@uncaged/workflow-gateway/schemas";
import {
  ERROR_CODES,
  type ErrorCode,
  type Failure,
  failure,
  parseJson,
  type WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Context, Hono } from "hono";
import type { z } from "zod";
import { usageError } from "../command/options.ts";
import { failureOfThrown } from "../command/render-error.ts";
import { bodyBytes } from "./body-bytes.ts";
import { deliver } from "./deliver.ts";
import { type CallName, type Conditions, ENGINE_CALLS, type EngineWorld } from "./engine-calls.ts";
import { eventStream, topicsIn } from "./event-stream.ts";
import type { ThreadFeed } from "./thread-feed.ts";

export function engineApp(world: EngineWorld, feed: ThreadFeed): Hono {
  const app = new Hono();
  for (const name of engineEndpoints()) {
    const { method, path } = ENDPOINTS[name];
    app.on(method, path, async (c) => {
      try {
        const refused = lacksScope(c, name, world);
        if (refused !== null) return failed(refused, 403);
        if (name === "deliver") return await delivered(c, world);
        if (name === "events") return await followed(c, world, feed);
        return await answered(c, name, world);
      } catch (thrown) {
        return failed(failureOfThrown(thrown));
      }
    });
  }
  app.notFound(() =>
    failed(
      failure("REQUEST_REFUSED", "there is no such endpoint", "install the same release"),
      404,
    ),
  );
  return app;
}

function engineEndpoints(): EngineEndpoint[] {
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  return names.filter((name): name is EngineEndpoint => !isGatewayEndpoint(name));
}

/** `signed`: a webhook starts a thread, as somebody who may run would. */
function lacksScope(
  c: Context,
  name: EngineEndpoint,
  { allow }: Pick<EngineWorld, "allow">,
): Failure | null {
  const { scope } = ENDPOINTS[name];
  const given = (c.req.header("x-uwf-scope") ?? "").split(" ");
  const needed = scope === "signed" ? "run" : scope;
  const isGiven = scope !== null && given.includes(scope);
  if (isGiven && needed !== null && allow.includes(needed)) return null;
  return failure(
    "ACCESS_DENIED",
    `this engine does not let the gateway ${needed}`,
    `connect it with --allow ${needed}`,
  );
}

async function answered(c: Context, name: CallName, world: EngineWorld): Promise<Response> {
  const { path, query, body }: Loose = SCHEMAS[name];
  const isOctets = ENDPOINTS[name].takes === "octets";
  const maxBytes = isOctets ? MAX_BLOB_BYTES : MAX_BODY_BYTES;
  const bytes = body === null ? NOTHING : await bodyBytes(c.req.raw, maxBytes);
  if (bytes === null) return failed(tooLarge(maxBytes), 413);
  const given = {
    path: parsed(path, c.req.param(), "the address"),
    query: parsed(query, queryOf(c), "the query"),
    body: body === null ? null : parsed(body, isOctets ? textIn(bytes) : jsonIn(bytes), "the body"),
    ...conditionsOf(c),
  };
  // Which endpoint's schemas they are is lost to the type: the table pairs them.
  const call = ENGINE_CALLS[name] as (
    given: unknown,
    world: EngineWorld,
  ) => ReturnType<(typeof ENGINE_CALLS)[CallName]>;
  const answer = await call(given, world);
  if (!answer.ok) return failed(answer.error);
  const { value, etag } = answer.value;
  const headers: Record<string, string> = etag === undefined ? {} : { etag: `"${etag}"` };
  if (ENDPOINTS[name].named && etag !== undefined && isHeld(c.req.header("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  if (ENDPOINTS[name].returns !== "text") return Response.json(value, { headers });
  return new Response(String(value), {
    headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
  });
}

const NOTHING = new Uint8Array();

function tooLarge(maxBytes: number): Failure {
  const message = `the body is larger than ${maxBytes / 1024 / 1024} MiB`;
  return failure("REQUEST_REFUSED", message, "send less");
}

type Loose = { path: z.ZodType; query: z.ZodType; body: z.ZodType | null };

/** A repeated key is two meanings. */
function queryOf(c: Context): Record<string, string> {
  const all = Object.entries(c.req.queries());
  const twice = all.find(([, values]) => values.length > 1)?.[0];
  if (twice !== undefined) throw invalid(`the query has ${twice} twice`);
  return Object.fromEntries(all.map(([key, [value = ""]]) => [key, value]));
}

function jsonIn(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  const value = text === "" ? {} : parseJson(text);
  if (value === undefined) throw invalid("the body is not JSON");
  return value;
}

/** Blobs are texts. */
function textIn(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw invalid("the body is not UTF-8");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  throw invalid(`${what} is not what the endpoint takes: ${place}${message}`);
}

function invalid(message: string): WorkflowError {
  return usageError(message, "see /api/gateway/openapi.json");
}

function conditionsOf(c: Context): Conditions {
  const who = decodeURIComponent(c.req.header("x-uwf-who") ?? "");
  const condition = c.req.header("if-match");
  const ifMatch = condition === undefined ? null : oneTag(condition);
  // Taken for absent, it would let through what it was to hold back.
  if (condition !== undefined && ifMatch === null)
    throw invalid('If-Match is not one ETag in quotes, such as "06JD2GQKX4R8T"');
  return { who, ifMatch, startKey: c.req.header("idempotency-key") ?? null };
}

async function delivered(c: Context, world: EngineWorld): Promise<Response> {
  const { trigger } = parsed(SCHEMAS.deliver.path, c.req.param(), "the address");
  const body = await bodyBytes(c.req.raw, MAX_BODY_BYTES);
  if (body === null) return failed(tooLarge(MAX_BODY_BYTES), 413);
  const received = await deliver({ trigger, headers: c.req.header(), body }, world);
  if (received.ok) return Response.json(received.value, { status: 202 });
  const isUnsigned = received.error.code === "SIGNATURE_INVALID";
  return isUnsigned ? failed(received.error, 401) : failed(received.error);
}

async function followed(c: Context, world: EngineWorld, feed: ThreadFeed): Promise<Response> {
  const { topics } = parsed(SCHEMAS.events.query, queryOf(c), "the query");
  const wanted = await topicsIn(topics, world.engine);
  if (!wanted.ok) return failed(wanted.error);
  const lastId = c.req.header("last-event-id") ?? null;
  return new Response(eventStream(wanted.value, lastId, { engine: world.engine, feed }), {
    headers: { "content-type": "text/event-stream; charset=utf-8" },
  });
}

/** The status that stands for a failure; codes have one meaning everywhere. */
function failed(reason: Failure, status: number = statusOf(reason.code)): Response {
  const { code, message, hint } = reason;
  return Response.json({ error: { code, message, hint } }, { status });
}

function statusOf(code: ErrorCode): number {
  if (code === "CHANGED_MEANWHILE") return 412;
  if (code === "PAYLOAD_INVALID") return 400;
  if (code.endsWith("_NOT_FOUND") || code === "CAS_MISSING" || code === "WORKFLOW_NO_VERSION")
    return 404;
  switch (ERROR_CODES[code]) {
    case "usage":
      return 400;
    case "conflict":
    case "invalidTransition":
      return 409;
    case "storage":
      return 500;
    default:
      return code === "INTERNAL" ? 500 : 422;
  }
}
