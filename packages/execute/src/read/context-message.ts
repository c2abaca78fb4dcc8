import type { CasStore, StateNode, StepRoute } from "@uncaged/workflow-protocol";
import { isSaid } from "../chain/answer-directive.ts";
import { readNode } from "../chain/read-node.ts";

/** One role result, as an agent that pulls the conversation sees it. */
export type ContextMessage = {
  /** 1-based. */
  round: number;
  role: string;
  /** Unix milliseconds. */
  timestamp: number;
  /** What the role was told for this round; null: nothing besides the conversation. */
  prompt: ContextPrompt | null;
  meta: Record<string, unknown>;
  content: string;
  contentHash: string;
  stateHash: string;
  /** True when `content` was cut to fit the budget. */
  cut: boolean;
};

/** Whose words they are. `edge`: the table's. `answer`: a person's, to the role that asked. `person`: a person's
 *  instead of the table's, by a poke or a fork. */
export type ContextPrompt = { kind: "edge" | "answer" | "person"; text: string };

export async function contextMessage(
  cas: Pick<CasStore, "get">,
  { hash, node }: { hash: string; node: StateNode },
  round: number,
): Promise<ContextMessage> {
  const { role, meta, content, timestamp, route } = node.payload;
  const { payload: text } = await readNode(cas, content, "content");
  return {
    round,
    role: role || "unknown",
    timestamp,
    prompt: promptOf(route),
    meta,
    content: text,
    contentHash: content,
    stateHash: hash,
    cut: false,
  };
}

function promptOf(route: StepRoute | null): ContextPrompt | null {
  if (route === null || route.prompt === null || route.prompt === "") return null;
  const { condition, prompt: text, promptFrom } = route;
  if (promptFrom === "person") return { kind: "person", text };
  return { kind: isSaid(condition) ? "answer" : "edge", text };
}
