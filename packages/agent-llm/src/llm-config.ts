import type { AgentOptions, ModelAccess } from "@uncaged/workflow-util-agent";

export type LlmConfig = AgentOptions & ModelAccess;
