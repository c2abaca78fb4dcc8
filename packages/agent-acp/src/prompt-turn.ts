/** One prompt and its answer.
 *
 *  A turn is broken off by the protocol first, for an agent that cancels leaves nothing behind; what does not
 *  answer to that is left to the stop procedure. */
import { methods } from "@agentclientprotocol/sdk";
import type { AcpProcess } from "./acp-process.ts";
import { unlessAborted } from "./unless-aborted.ts";

const CANCEL_MS = 2_000;

/** Gives the agent's answer; null: it was broken off. Rejects with what the agent refuses with, and when it died. */
export async function promptTurn(
  { agent, died }: AcpProcess,
  about: { session: string; prompt: string; signal: AbortSignal },
): Promise<unknown> {
  const { session, prompt, signal } = about;
  const answered: Promise<unknown> = agent.request(methods.agent.session.prompt, {
    sessionId: session,
    prompt: [{ type: "text", text: prompt }],
  });
  const answer = Promise.race([answered, died]);
  const first = await unlessAborted(answer, signal);
  if (!signal.aborted) return first;
  void agent.notify(methods.agent.session.cancel, { sessionId: session }).catch(() => {});
  const late = AbortSignal.timeout(CANCEL_MS);
  await unlessAborted(answer, late).catch(() => {});
  return null;
}
