/** The gateway's own endpoints: log-in, who is connected, who may do what. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Api, GatewayEndpoint } from "../contract/api.ts";
import { SCHEMAS } from "../contract/schemas.ts";
import type { TokenRow } from "../contract/shapes.ts";
import type { Audit } from "../gate/audit.ts";
import { type Caller, type Doors, wrong } from "../gate/identify.ts";
import { type Refusal, refusal } from "../gate/refusal.ts";
import type { Holder } from "../gate/sessions.ts";
import { answerFailure, answerJson } from "./answer.ts";
import type { ClientRegistry } from "./client-registry.ts";

export type OwnWorld = {
  doors: Doors;
  clients: ClientRegistry;
  audit: Audit;
  /** The cookie is for encrypted connections only. */
  isSecure: boolean;
};

const MAX_BYTES = 4_096;

/** Returns the status. `caller` null: nobody is logged in, which is all right for a log-in. */
export async function answerOwn(
  name: GatewayEndpoint,
  call: { incoming: IncomingMessage; outgoing: ServerResponse; address: string },
  caller: Caller | null,
  world: OwnWorld,
): Promise<number> {
  const answered = await answerTo(name, call, caller, world);
  if (!answered.ok) {
    answerFailure(call.outgoing, answered.refusal);
    return answered.refusal.status;
  }
  answerJson(call.outgoing, 200, answered.value);
  return 200;
}

type Answered =
  | { ok: true; value: Api[GatewayEndpoint]["response"] }
  | { ok: false; refusal: Refusal };

async function answerTo(
  name: GatewayEndpoint,
  { incoming, outgoing, address }: Parameters<typeof answerOwn>[1],
  caller: Caller | null,
  world: OwnWorld,
): Promise<Answered> {
  if (name === "logIn")
    return logIn(await bodyOf(incoming, SCHEMAS.logIn.body), outgoing, address, world);
  if (caller === null) return refusal(401, "ACCESS_DENIED", "nobody is logged in", "log in");
  const { clients, doors, audit } = world;
  switch (name) {
    case "listClients":
      return { ok: true, value: { clients: clientRows(clients, caller) } };
    case "session": {
      const { who, scopes, clients: own, session } = caller;
      const expiresAt = session?.expiresAt ?? NEVER;
      return { ok: true, value: { who, scopes: [...scopes], clients: copy(own), expiresAt } };
    }
    case "logOut":
      if (caller.session !== null) doors.sessions.end(caller.session);
      outgoing.setHeader("set-cookie", cookie(world, "", 0));
      // The browser keeps answers that an ETag names. Not "storage": drafts of the next log-in are there.
      outgoing.setHeader("clear-site-data", '"cache"');
      return { ok: true, value: { ended: caller.session !== null } };
    case "access":
      return {
        ok: true,
        value: {
          tokens: doors.tokens.all().filter(isSeenBy(caller)).map(tokenRow(audit)),
          sessions: caller.clients === null ? doors.sessions.rows(caller.session) : [],
          audit: audit
            .latest()
            .filter(
              ({ client }) =>
                caller.clients === null || (client !== null && caller.clients.includes(client)),
            )
            .slice(0, 200),
        },
      };
  }
}

/** As far as a date goes. */
const NEVER = 8_640_000_000_000_000;

async function logIn(
  body: z.infer<typeof SCHEMAS.logIn.body> | null,
  outgoing: ServerResponse,
  address: string,
  world: OwnWorld,
): Promise<Answered> {
  if (body === null)
    return refusal(400, "REQUEST_REFUSED", "that is not a log-in", "send a code or a token");
  const holder = holderOf(body, world.doors);
  if (holder === null) return wrong(address, world.doors);
  const { cookie: value, key, session } = world.doors.sessions.open(holder);
  const { who, scopes, clients, expiresAt, createdAt } = session;
  outgoing.setHeader(
    "set-cookie",
    cookie(world, value, Math.floor((expiresAt - createdAt) / 1_000)),
  );
  return { ok: true, value: { who, scopes: [...scopes], clients: copy(clients), expiresAt, key } };
}

function holderOf(body: { code: string } | { token: string }, doors: Doors): Holder | null {
  if ("code" in body) return doors.sessions.takeCode(body.code);
  const token = doors.tokens.find(body.token);
  // An engine's token is no person's.
  if (token === null || token.scopes.includes("engine")) return null;
  const { name, scopes, clients, id } = token;
  return { who: name, scopes, clients, tokenId: id };
}

function cookie({ doors, isSecure }: OwnWorld, value: string, seconds: number): string {
  const secure = isSecure ? "; Secure" : "";
  return `${doors.cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function clientRows(
  clients: ClientRegistry,
  caller: Caller,
): Api["listClients"]["response"]["clients"] {
  return clients
    .list()
    .filter(({ name }) => mayUse(caller, name))
    .map(({ name, state, since, version, allow }) => ({
      ...{ name, state, since, version },
      scopes: allow.filter((scope) => caller.scopes.includes(scope)),
    }));
}

export function mayUse({ clients }: Pick<Caller, "clients">, name: string): boolean {
  return clients === null || clients.includes(name);
}

function isSeenBy({ clients }: Caller): (token: Pick<TokenRow, "clients">) => boolean {
  return (token) =>
    clients === null || (token.clients?.every((name) => clients.includes(name)) ?? false);
}

function tokenRow(
  audit: Audit,
): (token: Omit<TokenRow, "lastUsedAt"> & { sha256: string }) => TokenRow {
  const latest = audit.latest();
  return ({ sha256: _, ...row }) => ({
    ...row,
    lastUsedAt: latest.find(({ who }) => who === row.name)?.at ?? null,
  });
}

/** Null: too large, or not what the schema says. */
async function bodyOf<T>(incoming: IncomingMessage, schema: z.ZodType<T>): Promise<T | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  try {
    return schema.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch {
    return null;
  }
}

function copy(clients: readonly string[] | null): string[] | null {
  return clients === null ? null : [...clients];
}
