import { type ChatMessage, createLlmFn } from "@uncaged/workflow-reactor";
import {
  type AgentConversation,
  type AgentStep,
  EMPTY_TURN,
  modelEndpoint,
} from "@uncaged/workflow-util-agent";
import type { LlmConfig } from "./llm-config.ts";

/** One model call per turn. The conversation is kept for the step's further turns and gone with it. */
export function openLlm(config: LlmConfig, step: AgentStep): AgentConversation {
  const { emit, signal, systemPrompt } = step;
  const messages: ChatMessage[] =
    systemPrompt.trim() === "" ? [] : [{ role: "system", content: systemPrompt }];
  return {
    async turn(prompt) {
      messages.push({ role: "user", content: prompt });
      const llm = createLlmFn(modelEndpoint(config, step));
      const reply = await llm({
        messages,
        tools: [],
        signal,
        onText: (text) => emit({ type: "text", text }),
        onRetry: (retry) => emit({ type: "retry", ...retry }),
        standBack: step.standBack,
      });
      if (!reply.ok) return { ...EMPTY_TURN, ...reply.error };
      const { text, usage } = reply.value;
      messages.push({ role: "assistant", content: text, toolCalls: [] });
      emit({ type: "usage", usage });
      return { ...EMPTY_TURN, text, usage, model: config.model };
    },
    // Nothing runs between turns.
    close: async () => {},
  };
}
