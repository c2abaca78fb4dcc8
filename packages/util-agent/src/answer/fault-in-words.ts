import type { AgentFault } from "@uncaged/workflow-protocol";

/** Guesses from an agent's last words why it failed, for agents that report sentences instead of codes. `crashed`:
 *  unknown. Use it only for a run that failed: such words may occur in any answer. */
export function faultInWords(words: string): AgentFault {
  return FAULTS.find(({ says }) => says.test(words))?.fault ?? "crashed";
}

const FAULTS: readonly { says: RegExp; fault: AgentFault }[] = [
  {
    fault: "context_overflow",
    says: /input.?too.?large|too many tokens|context is too large|exceeds (?:the maximum (?:length|number of tokens)|model limit|the model's prompt budget)|context.?(?:window|length|limit|overflow)|prompt is too long/i,
  },
  // Before the limits: a refusal may quote anything.
  {
    fault: "auth",
    says: /\b40[13]\b|unauthori[sz]ed|authentication.?(?:failed|error)|missing environment variable|access token|not (?:logged in|authenticated)|authentication required|(?:log ?in|sign in) again|(?:invalid|incorrect|missing).{0,10}api.?key/i,
  },
  {
    fault: "rate_limited",
    says: /\b429\b|rate.?limit|usage limit|quota|resource.?exhausted|too many requests|slow down|overloaded/i,
  },
];
