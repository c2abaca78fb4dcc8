/** Typed calls, for the page and for tests. */
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { type Api, ENDPOINTS, type EndpointName, type EngineEndpoint } from "./api.ts";
import type { FailureBody } from "./shapes.ts";

export type Connection = {
  /** `https://gateway.example`; empty: the origin of the page. */
  origin: string;
  /** Sent with each call: `X-Uwf-Key` of a session, or `Authorization`. Outside a browser also `Origin`. */
  headers: { readonly [name: string]: string };
};

/** `status` 0: there was no answer. `code` is one of the product's error codes, or of a newer version's. */
export type CallFailure = FailureBody["error"] & { status: number };

/** `etag`: what `ifMatch` of a change takes; null: none. */
export type Reply<T> = { value: T; etag: string | null };

/** What a call of an endpoint takes beside its connection. */
export type CallOptions<Name extends EndpointName> = {
  /** Left out: the call goes on until it is answered. */
  signal?: AbortSignal;
  /** The change is refused with 412 when this is no longer the head. */
  ifMatch?: string;
  /** The same key has the same effect once. */
  idempotencyKey?: string;
} & Needed<"path", Api[Name]["path"]> &
  Needed<"query", Api[Name]["query"]> &
  (Api[Name]["body"] extends null ? { body?: never } : Needed<"body", Api[Name]["body"]>) &
  (Name extends EngineEndpoint ? { client: string } : { client?: never });

type Needed<Key extends string, T> =
  Record<string, never> extends T ? { [key in Key]?: T } : { [key in Key]: T };

/** Calls an endpoint. Never throws, except when the caller's signal aborts. */
export async function call<Name extends EndpointName>(
  connection: Connection,
  name: Name,
  ...[given]: Record<string, never> extends CallOptions<Name>
    ? [CallOptions<Name>?]
    : [CallOptions<Name>]
): Promise<Result<Reply<Api[Name]["response"]>, CallFailure>> {
  const options: LooseOptions = given ?? {};
  const { method, returns, takes } = ENDPOINTS[name];
  try {
    const response = await fetch(`${connection.origin}${pathOf(name, options)}`, {
      method,
      headers: headersOf(connection, name, options),
      ...(method === "GET"
        ? {}
        : { body: takes === "octets" ? String(options.body) : JSON.stringify(options.body ?? {}) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      credentials: "same-origin",
      redirect: "error",
    });
    if (!response.ok) return err(await failureIn(response));
    // Typed by the contract: engine and gateway are held to it by their own tests.
    const read = returns === "text" ? wholeText : async () => JSON.parse(await response.text());
    const value: Api[Name]["response"] = await read(response);
    return ok({ value, etag: etagOf(response) });
  } catch (thrown) {
    if (options.signal?.aborted === true) throw thrown;
    return err(unreachable(thrown));
  }
}

/** `text()` would drop a byte order mark. */
async function wholeText(response: Response): Promise<string> {
  const bytes = await response.arrayBuffer();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

export type LooseOptions = {
  client?: string | undefined;
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  ifMatch?: string | undefined;
  idempotencyKey?: string | undefined;
};

/** The address of an endpoint, without the origin. */
export function pathOf(
  name: EndpointName,
  { client, path, query }: Pick<LooseOptions, "client" | "path" | "query">,
): string {
  const values = new Map<string, string>(Object.entries(path ?? {}));
  const filled = ENDPOINTS[name].path.replace(/:(\w+)/g, (_whole, parameter: string) =>
    encodeURIComponent(values.get(parameter) ?? ""),
  );
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    Object.fromEntries(given.map(([key, value]) => [key, String(value)])),
  ).toString();
  const base = client === undefined ? "" : `/api/c/${encodeURIComponent(client)}`;
  return `${base}${filled}${search === "" ? "" : `?${search}`}`;
}

function headersOf(
  { headers }: Connection,
  name: EndpointName,
  { ifMatch, idempotencyKey }: LooseOptions,
): Record<string, string> {
  const { method, takes } = ENDPOINTS[name];
  const type = takes === "octets" ? "application/octet-stream" : "application/json";
  return {
    ...headers,
    ...(method === "GET" ? {} : { "content-type": type }),
    ...(ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
  };
}

function etagOf(response: Response): string | null {
  return /^(?:W\/)?"([^"]*)"$/.exec(response.headers.get("etag") ?? "")?.[1] ?? null;
}

/** What an answer of 400 or more says. */
export async function failureIn(response: Response): Promise<CallFailure> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const text = (value: unknown, otherwise: string): string =>
    typeof value === "string" ? value : otherwise;
  return {
    status,
    code: text(error.code, "INTERNAL"),
    message: text(error.message, `the answer was ${status}`),
    hint: text(error.hint, "try again"),
  };
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function unreachable(thrown: unknown): CallFailure {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    status: 0,
    code: "GATEWAY_UNREACHABLE",
    message: `there was no answer: ${why}`,
    hint: "check that the gateway is up and the network works, then try again",
  };
}
