/** Who looks at the page. The key stays in this tab; with the cookie that the gateway set it is worth something, alone
 *  neither is. */
import {
  type CallFailure,
  type Connection,
  call,
  type Session,
} from "@uncaged/workflow-gateway/contract";
import type { Result } from "@uncaged/workflow-protocol";
import { err, ok } from "@uncaged/workflow-protocol";

const KEY = "uwf-key";

export function connection(): Connection {
  const key = sessionStorage.getItem(KEY);
  return { origin: "", headers: key === null ? {} : { "x-uwf-key": key } };
}

export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

/** Buys a session for the code of a link, or for a token that somebody pasted. */
export async function logIn(
  proof: { code: string } | { token: string },
): Promise<Result<Session, CallFailure>> {
  const reply = await call({ origin: "", headers: {} }, "logIn", { body: proof });
  if (!reply.ok) return err(reply.error);
  const { key, ...session } = reply.value.value;
  sessionStorage.setItem(KEY, key);
  return ok(session);
}

export async function logOut(): Promise<void> {
  await call(connection(), "logOut");
  forget();
}

export function forget(): void {
  sessionStorage.removeItem(KEY);
}

/** Takes the code out of the address, so that neither history nor a copied address has it; null: there is none. */
export function takeCode(): string | null {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, "", location.pathname + location.search);
  return code;
}
