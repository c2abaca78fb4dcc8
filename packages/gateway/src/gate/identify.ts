/** Who sends a request: a token, or a cookie and a key that belong together. */
import type { Scope } from "../contract/shapes.ts";
import type { Judged } from "./judge-request.ts";
import { type Refusal, refusal } from "./refusal.ts";
import type { BrowserSession, Sessions } from "./sessions.ts";
import type { TokenBook } from "./tokens.ts";
import type { WrongTries } from "./wrong-tries.ts";

export type Caller = {
  who: string;
  scopes: readonly Scope[];
  /** Null: all. */
  clients: readonly string[] | null;
  tokenId: string | null;
  session: BrowserSession | null;
};

export type Identified = { ok: true; caller: Caller } | { ok: false; refusal: Refusal };

export type Doors = {
  tokens: TokenBook;
  sessions: Sessions;
  tries: WrongTries;
  cookieName: string;
};

export function identify(
  { headers }: Pick<Judged, "headers">,
  address: string,
  doors: Doors,
): Identified {
  const authorization = headers.get("authorization");
  if (authorization !== undefined) {
    const text = /^Bearer ([\w-]{20,100})$/.exec(authorization)?.[1];
    const token = text === undefined ? null : doors.tokens.find(text);
    if (token === null) return wrong(address, doors);
    const { name, scopes, clients, id } = token;
    return { ok: true, caller: { who: name, scopes, clients, tokenId: id, session: null } };
  }
  const cookie = cookieIn(headers.get("cookie") ?? "", doors.cookieName);
  const key = headers.get("x-uwf-key");
  if (cookie === null || key === undefined) return NOBODY;
  const session = doors.sessions.find(cookie, key);
  if (session === null || !isStillGood(session, doors.tokens)) return wrong(address, doors);
  const { who, scopes, clients, tokenId } = session;
  return { ok: true, caller: { who, scopes, clients, tokenId, session } };
}

/** A session ends with the token that bought it. */
export function isStillGood(
  { tokenId }: Pick<BrowserSession, "tokenId">,
  tokens: Pick<TokenBook, "has">,
): boolean {
  return tokenId === null || tokens.has(tokenId);
}

export function wrong(
  address: string,
  { tries }: Pick<Doors, "tries">,
): { ok: false; refusal: Refusal } {
  return tries.add(address) ? TOO_MANY : WRONG;
}

/** Two of one name are two meanings. */
function cookieIn(header: string, name: string): string | null {
  const found = header
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null;
}

const HINT = "log in with a link of `uncaged-workflow dashboard`, or with a token";
const NOBODY = refusal(401, "ACCESS_DENIED", "nobody is logged in", HINT);
const WRONG = refusal(
  401,
  "ACCESS_DENIED",
  "the token, the session or the code is not valid",
  HINT,
);
const TOO_MANY = refusal(
  429,
  "ACCESS_DENIED",
  "there were too many wrong tries from this address",
  "wait a minute; a right token is taken all the same",
);
