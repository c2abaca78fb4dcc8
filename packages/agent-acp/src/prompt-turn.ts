/** One prompt and its answer.
 *
 *  A turn is first cancelled by the protocol, because an agent that cancels leaves nothing behind; an agent that
 *  does not respond is left to the stop procedure. */
import { methods } from "@agentclientprotocol/sdk";
import type { AcpProcess } from "./acp-process.ts";
import { unlessAborted } from "./unless-aborted.ts";

const CANCEL_MS = 2_000;

/** Returns the agent's answer; null: it was cancelled. Rejects with the agent's refusal, and when it died. */
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
