/** Sessions of browsers: a cookie and a key, of which each alone opens nothing, because cookies are sent to every port
 *  of a machine. Kept as hashes in a file, so that a gateway that was started again still knows them. */
import { readFileSync } from "node:fs";
import { writeFileAtomicSync } from "@uncaged/workflow-util";
import { z } from "zod";
import { SCOPES, type Scope, type SessionRow } from "../contract/shapes.ts";
import { newSecret, secretHash, withHash } from "./secrets.ts";

/** Who a session speaks for. */
export type Holder = {
  who: string;
  scopes: readonly Scope[];
  clients: readonly string[] | null;
  /** The token that it was bought with, and with which it ends; null: a code. */
  tokenId: string | null;
};

export type BrowserSession = Holder & {
  /** Of the cookie. */
  sha256: string;
  keySha256: string;
  createdAt: number;
  expiresAt: number;
};

const LIFETIME_MS = 7 * 24 * 3_600_000;
const CODE_LIFETIME_MS = 60_000;
/** Older ones end: nobody has that many browsers. */
const MOST_SESSIONS = 100;

const fileSchema = z.array(
  z.object({
    who: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    clients: z.array(z.string()).nullable(),
    tokenId: z.string().nullable(),
    sha256: z.string(),
    keySha256: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
  }),
);

export type Sessions = {
  /** A code that buys one session within a minute. */
  newCode(holder: Holder): string;
  /** Null: wrong, used or too late. */
  takeCode(code: string): Holder | null;
  open(holder: Holder): { cookie: string; key: string; session: BrowserSession };
  /** The session of a cookie and a key that belong together. */
  find(cookie: string, key: string): BrowserSession | null;
  end(session: BrowserSession): void;
  /** Whether it has neither ended nor expired. */
  has(session: BrowserSession): boolean;
  rows(current: BrowserSession | null): SessionRow[];
};

/** `file` null: sessions end with this process. */
export function openSessions(file: string | null, now: () => number): Sessions {
  let sessions = read(file);
  const usedAt = new Map<string, number>();
  const codes = new Map<string, { sha256: string; holder: Holder; until: number }>();
  const live = (): BrowserSession[] => sessions.filter(({ expiresAt }) => expiresAt > now());
  const keep = (next: BrowserSession[]): void => {
    sessions = next.slice(-MOST_SESSIONS);
    if (file === null) return;
    const data = `${JSON.stringify(sessions)}\n`;
    writeFileAtomicSync({ path: file, data, mode: 0o600, existing: "replace" });
  };
  return {
    newCode(holder) {
      const code = newSecret("");
      const sha256 = secretHash(code);
      codes.set(sha256, { sha256, holder, until: now() + CODE_LIFETIME_MS });
      return code;
    },
    takeCode(code) {
      const found = withHash(codes.values(), secretHash(code));
      if (found === null) return null;
      codes.delete(found.sha256);
      return found.until > now() ? found.holder : null;
    },
    open(holder) {
      const [cookie, key] = [newSecret(""), newSecret("")];
      const session: BrowserSession = {
        ...holder,
        sha256: secretHash(cookie),
        keySha256: secretHash(key),
        createdAt: now(),
        expiresAt: now() + LIFETIME_MS,
      };
      keep([...live(), session]);
      return { cookie, key, session };
    },
    find(cookie, key) {
      const session = withHash(live(), secretHash(cookie));
      // Compared also where there is no such cookie, so that the time tells nothing.
      const fits = withHash([{ sha256: session?.keySha256 ?? secretHash("") }], secretHash(key));
      if (session === null || fits === null) return null;
      usedAt.set(session.sha256, now());
      return session;
    },
    end: (session) => keep(live().filter(({ sha256 }) => sha256 !== session.sha256)),
    has: ({ sha256 }) => live().some((session) => session.sha256 === sha256),
    rows: (current) =>
      live().map(({ who, createdAt, sha256 }) => ({
        who,
        createdAt,
        lastUsedAt: usedAt.get(sha256) ?? createdAt,
        current: sha256 === current?.sha256,
      })),
  };
}

/** Sessions can be opened again: a file that cannot be read costs a log-in. */
function read(file: string | null): BrowserSession[] {
  if (file === null) return [];
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return [];
  }
}
