/** The tokens of a gateway: a file of hashes that commands change and a running gateway reads again.
 *
 *  1. A token is shown once, when it is made. The file has its SHA-256.
 *  2. The file is replaced whole: a reader sees it before or after a change. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  WORKFLOW_NAME_PATTERN,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { isErrno, writeFileAtomicSync } from "@uncaged/workflow-util";
import { z } from "zod";
import { SCOPES, type Scope, type TokenRow } from "../contract/shapes.ts";
import { newSecret, secretHash, withHash } from "./secrets.ts";

export type Token = Omit<TokenRow, "lastUsedAt"> & { sha256: string };

const fileSchema = z.object({
  version: z.literal(1),
  tokens: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.enum(SCOPES)),
      clients: z.array(z.string()).nullable(),
      createdAt: z.number(),
      expiresAt: z.number().nullable(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** How long a rotated token is still taken. */
const OVERLAP_MS = 600_000;

/** Throws `CONFIG_INVALID`, `STORAGE_FAILED`. No file: no tokens. */
export function readTokens(file: string): Token[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return [];
    throw cause;
  }
  const parsed = fileSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data.tokens;
  throw new WorkflowError(
    failure("CONFIG_INVALID", `${file} is not a list of tokens`, "restore it, or remove it"),
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function writeTokens(file: string, tokens: readonly Token[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`;
  writeFileAtomicSync({ path: file, data: text, mode: 0o600, existing: "replace" });
}

export type NewToken = {
  name: string;
  scopes: readonly Scope[];
  clients: readonly string[] | null;
};

/** `token` is shown to its owner and not kept. */
export type IssuedToken = { token: string; row: Token };

/** `USAGE`. */
export function addToken(
  file: string,
  { name, scopes, clients }: NewToken,
  nowMs: number,
): Result<IssuedToken, Failure> {
  const tokens = readTokens(file);
  const refusal = refusalOf({ name, scopes, clients }, live(tokens, nowMs));
  if (refusal !== null) return err(refusal);
  const issued = issue({ name, scopes, clients }, nowMs);
  writeTokens(file, [...live(tokens, nowMs), issued.row]);
  return ok(issued);
}

/** Makes another token for the same; the old one is taken for ten more minutes. */
export function rotateToken(
  file: string,
  name: string,
  nowMs: number,
): Result<IssuedToken, Failure> {
  const tokens = live(readTokens(file), nowMs);
  const old = tokens.find((token) => token.name === name && token.expiresAt === null);
  if (old === undefined) return err(noToken(name));
  const issued = issue(old, nowMs);
  const others = tokens.map((token) =>
    token === old ? { ...token, expiresAt: nowMs + OVERLAP_MS } : token,
  );
  writeTokens(file, [...others, issued.row]);
  return ok(issued);
}

/** Removes all tokens of the name, also those that were rotated. Returns how many. */
export function removeToken(file: string, name: string): Result<number, Failure> {
  const tokens = readTokens(file);
  const kept = tokens.filter((token) => token.name !== name);
  if (kept.length === tokens.length) return err(noToken(name));
  writeTokens(file, kept);
  return ok(tokens.length - kept.length);
}

export function tokenRows(file: string, nowMs: number): Omit<TokenRow, "lastUsedAt">[] {
  return live(readTokens(file), nowMs).map(({ sha256: _, ...row }) => row);
}

function live(tokens: readonly Token[], nowMs: number): Token[] {
  return tokens.filter(({ expiresAt }) => expiresAt === null || expiresAt > nowMs);
}

function issue({ name, scopes, clients }: NewToken, nowMs: number): IssuedToken {
  const token = newSecret("uwf_");
  const row: Token = {
    id: randomBytes(6).toString("hex"),
    name,
    scopes: [...scopes],
    clients: clients === null ? null : [...clients],
    createdAt: nowMs,
    expiresAt: null,
    sha256: secretHash(token),
  };
  return { token, row };
}

function refusalOf({ name, scopes, clients }: NewToken, tokens: readonly Token[]): Failure | null {
  const wrong = [name, ...(clients ?? [])].find((each) => !WORKFLOW_NAME_PATTERN.test(each));
  if (wrong !== undefined)
    return failure(
      "USAGE",
      `${JSON.stringify(wrong)} is not a name`,
      "names have 1 to 64 lower-case letters, digits, . _ and -, and begin and end with a letter or digit",
    );
  if (tokens.some((token) => token.name === name))
    return failure(
      "TARGET_EXISTS",
      `there is a token ${name}`,
      `replace it with: uncaged-workflow gateway token rotate ${name}`,
    );
  if (scopes.includes("engine") && (clients === null || scopes.length > 1))
    return failure(
      "USAGE",
      "a token of an engine is for named clients and for nothing else",
      "give --client, and make another token for people",
    );
  const taken = scopes.includes("engine")
    ? clients?.find((client) =>
        tokens.some((token) => token.scopes.includes("engine") && token.clients?.includes(client)),
      )
    : undefined;
  if (taken === undefined) return null;
  return failure(
    "TARGET_EXISTS",
    `another token is for the engine ${taken}`,
    "remove that token, or choose another name",
  );
}

function noToken(name: string): Failure {
  return failure(
    "USAGE",
    `there is no token ${JSON.stringify(name)}`,
    "see: uncaged-workflow gateway token list",
  );
}

/** The tokens of a running gateway. */
export type TokenBook = {
  /** The token with this text, unless it has expired. */
  find(text: string): Token | null;
  /** Whether a token still is what it was. */
  has(id: string): boolean;
  /** Whether there is one for the engine of this name. */
  isForEngine(name: string): boolean;
  all(): Token[];
};

/** How often the file is looked at, at most. */
const LOOK_EVERY_MS = 250;

/** `extra`: tokens of this process, which are in no file. */
export function openTokens(
  file: string | null,
  extra: readonly Token[],
  now: () => number,
): TokenBook {
  let mark = "";
  let lookedAt = Number.NEGATIVE_INFINITY;
  let tokens: Token[] = [];
  const current = (): Token[] => {
    if (file !== null && Math.abs(now() - lookedAt) >= LOOK_EVERY_MS) {
      lookedAt = now();
      const stat = statSync(file, { throwIfNoEntry: false });
      const seen = stat === undefined ? "none" : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
      if (seen !== mark) {
        tokens = readTokens(file);
        mark = seen;
      }
    }
    return live([...extra, ...tokens], now());
  };
  return {
    find: (text) => withHash(current(), secretHash(text)),
    has: (id) => current().some((token) => token.id === id),
    isForEngine: (name) =>
      current().some(({ scopes, clients }) => scopes.includes("engine") && clients?.includes(name)),
    all: () => current().filter((token) => !extra.includes(token)),
  };
}

/** A token of this process alone. */
export function passingToken(token: NewToken, nowMs: number): IssuedToken {
  return issue(token, nowMs);
}
