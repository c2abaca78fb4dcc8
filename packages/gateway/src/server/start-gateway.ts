/** The gateway: one HTTP server for the page, the engines that connect, and the calls from one to the other.
 *
 *  1. A request is judged before anything looks at where it goes.
 *  2. Only endpoints of the contract are passed on, only to engines that the caller may use, and only with the scope
 *     that the endpoint asks for. The engine checks the scope again.
 *  3. Nothing is repeated: a call that broke off is the caller's to look after. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno } from "@uncaged/workflow-util";
import { ENDPOINTS, isGatewayEndpoint } from "../contract/api.ts";
import type { ClientState, Scope } from "../contract/shapes.ts";
import { type Audit, openAudit } from "../gate/audit.ts";
import { type Caller, type Doors, identify, isStillGood } from "../gate/identify.ts";
import { type Judged, judgeRequest, type Place } from "../gate/judge-request.ts";
import { type Refusal, refusal } from "../gate/refusal.ts";
import { type Holder, openSessions } from "../gate/sessions.ts";
import { openTokens, type Token } from "../gate/tokens.ts";
import { countWrongTries } from "../gate/wrong-tries.ts";
import { MAX_BLOB_BYTES, MAX_BODY_BYTES } from "../tunnel/tunnel-limits.ts";
import { engineAdmission } from "./admit-engine.ts";
import { answerFailure, HEADERS_OF_ALL } from "./answer.ts";
import { type ClientRegistry, clientRegistry } from "./client-registry.ts";
import { forward } from "./forward.ts";
import { answerOwn, mayUse, type OwnWorld } from "./gateway-calls.ts";
import { matchEndpoint } from "./match-endpoint.ts";
import { type PageFiles, pageFiles } from "./page-files.ts";

export type GatewayOptions = {
  /** Where to listen. Port 0: any that is free. */
  host: string;
  port: number;
  /** How browsers name it; null: `http://<host>:<port>`, which has to be a loopback address. */
  publicOrigin: string | null;
  /** Its own certificate, PEM; null: none, or a proxy has one. */
  tls: { key: string; cert: string } | null;
  /** Files for tokens, sessions and the log of calls; null: they end with this process. */
  files: { tokens: string; sessions: string; audit: string } | null;
  /** Tokens of this process. */
  extraTokens?: readonly Token[];
  /** The built page. */
  page: string;
  /** The OpenAPI document. */
  openApi: string;
  now?: () => number;
  onClient?: (client: { name: string; state: ClientState }) => void;
  limits?: Partial<Limits>;
};

/** Times in milliseconds. */
type Limits = {
  sockets: number;
  headMs: number;
  /** Until an engine's answer begins. */
  callMs: number;
  /** A reader that takes nothing for so long is dropped. */
  stalledMs: number;
};

const LIMITS: Limits = { sockets: 256, headMs: 5_000, callMs: 60_000, stalledMs: 30_000 };
const MAX_HEAD_BYTES = 16 * 1024;
/** How often rights that were taken back, and readers that stand still, are looked for. */
const LOOK_EVERY_MS = 1_000;

export type Gateway = {
  origin: string;
  port: number;
  /** A code that logs one browser in, once, within a minute. */
  newCode(holder: Omit<Holder, "tokenId">): string;
  close(): Promise<void>;
};

/** `USAGE`, `GATEWAY_FAILED`. */
export async function startGateway(opts: GatewayOptions): Promise<Result<Gateway, Failure>> {
  const now = opts.now ?? Date.now;
  const limits = { ...LIMITS, ...opts.limits };
  const unsafe = unsafePlace(opts);
  if (unsafe !== null) return err(unsafe);
  const server = newServer(opts.tls, limits);
  const bound = await bind(server, opts);
  if (!bound.ok) return bound;
  const port = bound.value;
  const scheme = opts.tls === null ? "http" : "https";
  const named = opts.host.includes(":") ? `[${opts.host}]` : opts.host;
  // Browsers leave out the usual port.
  const asked = opts.publicOrigin?.replace(/:443$/, "");
  const origin = asked ?? `${scheme}://${named}:${port}`;
  const isSecure = origin.startsWith("https:");
  const doors: Doors = {
    tokens: openTokens(opts.files?.tokens ?? null, opts.extraTokens ?? [], now),
    sessions: openSessions(opts.files?.sessions ?? null, now),
    tries: countWrongTries(now),
    // Cookies ignore ports: two gateways of one machine would log each other's users out.
    cookieName: isSecure ? "__Host-uwf" : `uwf_${port}`,
  };
  const audit = openAudit(opts.files?.audit ?? null);
  const clients: ClientRegistry = clientRegistry(now, (client) => {
    // Engines stay connected: they take no room from callers.
    const connected = clients.list().filter(({ state }) => state !== "gone").length;
    server.maxConnections = limits.sockets + connected;
    opts.onClient?.(client);
  });
  const place = { origin };
  const open = new Map<ServerResponse, Open>();
  const world: World = {
    ...{ doors, clients, audit, isSecure, place, open, now, limits },
    page: pageFiles(opts.page),
    openApi: opts.openApi,
  };
  const engines = engineAdmission(place, { doors, clients });
  server.on("request", (incoming, outgoing) => void handle(incoming, outgoing, world));
  server.on("upgrade", (incoming, socket, rest) => {
    const { status, who } = engines.admit(incoming, socket, rest);
    audit.note({ at: now(), who, client: null, method: "GET", path: "/engine", status });
  });
  const look = setInterval(() => lookAfter(world), LOOK_EVERY_MS).unref();
  return ok({
    origin,
    port,
    newCode: (holder) => doors.sessions.newCode({ ...holder, tokenId: null }),
    async close() {
      clearInterval(look);
      clients.close();
      engines.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      audit.flush();
    },
  });
}

type World = OwnWorld & {
  clients: ClientRegistry;
  audit: Audit;
  place: Place;
  page: PageFiles;
  openApi: string;
  now: () => number;
  limits: Limits;
  /** Answers under way. */
  open: Map<ServerResponse, Open>;
};

type Open = { caller: Caller | null; bytes: number; movedAt: number };

const ON_EVERY_ANSWER = Object.entries(HEADERS_OF_ALL);

async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  world: World,
): Promise<void> {
  for (const [name, value] of ON_EVERY_ANSWER) outgoing.setHeader(name, value);
  if (world.isSecure) outgoing.setHeader("strict-transport-security", "max-age=31536000");
  const under: Open = { caller: null, bytes: 0, movedAt: performance.now() };
  world.open.set(outgoing, under);
  outgoing.on("close", () => world.open.delete(outgoing));
  outgoing.on("error", () => undefined);
  const { method = "", url = "", rawHeaders } = incoming;
  const judged = judgeRequest({ method, url, rawHeaders }, world.place);
  if (!judged.ok) return answerFailure(outgoing, judged.refusal);
  const { request } = judged;
  if (request.kind === "page") return world.page.answer(request, outgoing);
  const noted = (row: { who: string | null; client: string | null; status: number }): void =>
    world.audit.note({ at: world.now(), method, path: request.path.slice(0, 500), ...row });
  try {
    const target = targetOf(request, world);
    const caller = callerOf(request, incoming.socket, target, world);
    under.caller = caller.ok ? caller.caller : null;
    const who = under.caller?.who ?? null;
    const client = target.ok ? target.client : null;
    // Whoever is nobody learns nothing of what there is.
    const refused = !caller.ok
      ? caller
      : !target.ok
        ? target
        : mayNot(target, caller.caller, world);
    if (refused !== null) {
      answerFailure(outgoing, refused.refusal);
      return noted({ who, client, status: refused.refusal.status });
    }
    if (!target.ok || !caller.ok) return;
    noted({
      who,
      client,
      status: await serve({ incoming, outgoing, request }, target, caller.caller, world),
    });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    noted({ who: null, client: null, status: 500 });
    if (outgoing.headersSent) outgoing.destroy();
    else answerFailure(outgoing, { status: 500, code: "INTERNAL", message, hint: "" });
  }
}

type Target =
  | { ok: true; own: "openApi"; client: null }
  | { ok: true; own: Exclude<ReturnType<typeof ownName>, null>; client: null }
  | ({ ok: true; own: null; client: string } & Passed);

/** A call that an engine answers. */
type Passed = {
  path: string;
  scope: Scope | "signed" | null;
  maxBodyBytes: number;
  isNamed: boolean;
};

/** What a request is for. */
function targetOf(
  { method, path, kind }: Judged,
  world: Pick<World, "clients">,
): Target | { ok: false; refusal: Refusal } {
  const reading = method === "HEAD" ? "GET" : method;
  if (kind === "hook") {
    const [, , client = "", trigger = "", ...more] = path.split("/");
    if (more.length > 0 || trigger === "" || reading !== "POST") return NOWHERE;
    if (world.clients.session(client) === null) return NO_CLIENT;
    return { ok: true, own: null, client, path: `/hooks/${trigger}`, ...DELIVERED };
  }
  if (kind === "engine") return NOWHERE;
  if (path === "/api/gateway/openapi.json" && reading === "GET")
    return { ok: true, own: "openApi", client: null };
  const inClient = /^\/api\/c\/([^/]+)(\/.*)$/.exec(path);
  if (inClient === null) {
    const name = ownName(reading, path);
    return name === null ? NOWHERE : { ok: true, own: name, client: null };
  }
  const [, client = "", rest = ""] = inClient;
  const match = matchEndpoint(reading, rest, "engine");
  // Deliveries come by their own door.
  if (match === null || rest.startsWith("/hooks/")) return NOWHERE;
  if (match === "method")
    return refusal(405, "REQUEST_REFUSED", "there is no such method here", "");
  const { scope, takes, named = false } = ENDPOINTS[match.name];
  const maxBodyBytes = takes === "octets" ? MAX_BLOB_BYTES : MAX_BODY_BYTES;
  return { ok: true, own: null, client, path: rest, scope, maxBodyBytes, isNamed: named };
}

const DELIVERED = { scope: "signed", maxBodyBytes: MAX_BODY_BYTES, isNamed: false } as const;

function ownName(method: string, path: string) {
  const match = matchEndpoint(method, path, "gateway");
  if (match === null || match === "method") return null;
  return isGatewayEndpoint(match.name) ? match.name : null;
}

const NOWHERE = refusal(
  404,
  "REQUEST_REFUSED",
  "there is no such endpoint",
  "see /api/gateway/openapi.json",
);
const NO_CLIENT = refusal(
  404,
  "CLIENT_NOT_FOUND",
  "there is no such engine, or it is not yours",
  "see which are connected: GET /api/gateway/endpoints",
);
const CLIENT_AWAY = refusal(
  502,
  "CLIENT_GONE",
  "the engine is not connected now",
  "it connects by itself when its machine is up again; or start it with: uncaged-workflow connect",
);

type Found = { ok: true; caller: Caller } | { ok: false; refusal: Refusal };

/** A log-in needs nobody, and a sender of webhooks is known by its signature. */
function callerOf(
  request: Judged,
  { remoteAddress = "" }: Socket,
  target: Target | { ok: false },
  { doors }: Pick<World, "doors">,
): Found {
  if (request.kind === "hook") return { ok: true, caller: SENDER };
  if (target.ok && target.own === "logIn") return { ok: true, caller: STRANGER };
  return identify(request, remoteAddress, doors);
}

const STRANGER: Caller = { who: "", scopes: [], clients: [], tokenId: null, session: null };
const SENDER: Caller = { ...STRANGER, who: "webhook" };

function mayNot(
  target: Target,
  caller: Caller,
  { clients, doors }: Pick<World, "clients" | "doors">,
): { ok: false; refusal: Refusal } | null {
  if (target.own === "access" && !caller.scopes.includes("edit")) return lacks("edit");
  if (target.own !== null) return null;
  const { client, scope } = target;
  if (scope === "signed") return null;
  const known = clients.find(client);
  if (!mayUse(caller, client)) return NO_CLIENT;
  if (known === null)
    // A gateway that was started again does not know its engines before they have come back.
    return doors.tokens.isForEngine(client) ? CLIENT_AWAY : NO_CLIENT;
  if (scope !== null && !caller.scopes.includes(scope)) return lacks(scope);
  if (scope !== null && scope !== "engine" && !known.allow.includes(scope))
    return refusal(
      403,
      "ACCESS_DENIED",
      `the engine does not let the gateway ${scope}`,
      `connect it with --allow ${[...known.allow, scope].join(",")}`,
    );
  return null;
}

function lacks(scope: Scope): { ok: false; refusal: Refusal } {
  return refusal(403, "ACCESS_DENIED", `you may not ${scope}`, "use a token that has this scope");
}

async function serve(
  http: { incoming: IncomingMessage; outgoing: ServerResponse; request: Judged },
  target: Target,
  caller: Caller,
  world: World,
): Promise<number> {
  const { incoming, outgoing, request } = http;
  if (target.own === "openApi") {
    outgoing.writeHead(200, { "content-type": "application/json; charset=utf-8" });
    outgoing.end(world.openApi);
    return 200;
  }
  if (target.own !== null) {
    const address = incoming.socket.remoteAddress ?? "";
    const known = caller === STRANGER ? null : caller;
    return answerOwn(target.own, { incoming, outgoing, address }, known, world);
  }
  const session = world.clients.session(target.client);
  if (session === null) {
    answerFailure(outgoing, CLIENT_AWAY.refusal);
    return CLIENT_AWAY.refusal.status;
  }
  return forward(incoming, outgoing, {
    session,
    path: `${target.path}${request.query}`,
    request,
    who: caller.who,
    scopes: target.scope === "signed" ? ["signed"] : caller.scopes,
    maxBodyBytes: target.maxBodyBytes,
    isNamed: target.isNamed,
    deadlineMs: world.limits.callMs,
  });
}

/** Ends what nobody may have any more, and readers that take nothing. */
function lookAfter({ open, doors, clients, limits }: World): void {
  clients.keep(({ tokenId }) => doors.tokens.has(tokenId));
  const atMs = performance.now();
  for (const [outgoing, under] of open) {
    const { caller } = under;
    const isIn =
      caller === null ||
      (isStillGood(caller, doors.tokens) &&
        (caller.session === null || doors.sessions.has(caller.session)));
    if (!isIn) outgoing.destroy();
    const bytes = outgoing.socket?.bytesWritten ?? 0;
    const waits = outgoing.writableLength > 0 || (outgoing.socket?.writableLength ?? 0) > 0;
    if (bytes !== under.bytes || !waits) {
      under.bytes = bytes;
      under.movedAt = atMs;
    } else if (atMs - under.movedAt > limits.stalledMs) outgoing.destroy();
  }
}

function newServer(tls: GatewayOptions["tls"], limits: Limits): Server {
  const options = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: limits.headMs,
    requestTimeout: 60_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 15_000,
    // We answer 421 ourselves.
    requireHostHeader: false,
    // Small writes, such as events, go out at once.
    noDelay: true,
  };
  const server = tls === null ? createServer(options) : createTlsServer({ ...options, ...tls });
  server.maxConnections = limits.sockets;
  server.maxHeadersCount = 64;
  return server;
}

function bind(server: Server, { host, port }: GatewayOptions): Promise<Result<number, Failure>> {
  const { promise, resolve } = Promise.withResolvers<Result<number, Failure>>();
  server.once("error", (cause) => {
    const why = isErrno(cause, "EADDRINUSE") ? "the port is in use" : cause.message;
    resolve(
      err(
        failure(
          "GATEWAY_FAILED",
          `cannot listen on ${host}:${port}: ${why}`,
          "give another --port",
        ),
      ),
    );
  });
  server.listen({ host, port }, () => {
    const address = server.address();
    resolve(ok(typeof address === "object" && address !== null ? address.port : port));
  });
  return promise;
}

/** What goes over a network is encrypted, and named by whoever set it up. */
function unsafePlace({ host, publicOrigin, tls }: GatewayOptions): Failure | null {
  if (publicOrigin !== null && !/^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(publicOrigin))
    return failure(
      "USAGE",
      `${JSON.stringify(publicOrigin)} is not an https origin`,
      "give it as the address line shows it, such as https://flows.example.com",
    );
  const isLoopback = host === "127.0.0.1" || host === "::1";
  if (isLoopback || (publicOrigin !== null && tls !== null)) return null;
  if (publicOrigin === null)
    return failure(
      "USAGE",
      `${host} can be reached from other machines`,
      "say how browsers name it, with --public-origin https://…",
    );
  return failure(
    "USAGE",
    `what ${host} sends to other machines would not be encrypted`,
    "give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that has a certificate",
  );
}
