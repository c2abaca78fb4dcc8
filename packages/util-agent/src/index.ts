export {
  type CapturedOutput,
  captureOutput,
  looksSecret,
  type OutputCapture,
  type Redactor,
  type RedactStream,
  randomTag,
  redactor,
} from "@uncaged/workflow-util";
export {
  type EvidenceTally,
  evidenceTally,
  evidenceWords,
  lineOfWords,
  type MissingEvidence,
  missingEvidence,
  type PolicyCall,
  type PolicyVerdict,
  policyVerdict,
  type SeenCall,
} from "@uncaged/workflow-util/tool-rules";
export { createAgent } from "./agent/create-agent.ts";
export { type AgentCall, createAgentAdapter } from "./agent/create-agent-adapter.ts";
export { modelAgentPackage } from "./agent/model-agent-package.ts";
export {
  type ModelAccess,
  type ModelEndpoint,
  modelEndpoint,
  modelSecrets,
  probeModel,
} from "./agent/model-endpoint.ts";
export { readAgentOptions, readOptions } from "./agent/read-agent-options.ts";
export { withRun } from "./agent/with-run.ts";
export { faultInWords } from "./answer/fault-in-words.ts";
export { readContent } from "./answer/read-content.ts";
export { describeIssues, readStructured } from "./answer/read-structured.ts";
export type {
  AgentConversation,
  AgentDriver,
  AgentOptions,
  AgentStep,
  ToolServer,
  TurnResult,
} from "./driver/agent-driver.ts";
export { EMPTY_TURN } from "./driver/empty-turn.ts";
export { callVerdict, type JudgedStep } from "./evidence/call-verdict.ts";
export { type EvidenceBook, evidenceBook } from "./evidence/evidence-book.ts";
export { evidenceRefusal } from "./evidence/evidence-refusal.ts";
export {
  cliEnvironment,
  type Environment,
  type EnvironmentChoice,
} from "./process/cli-environment.ts";
export type { CliRun, CliStop, OpenCliOptions, SpawnCliOptions } from "./process/cli-run.ts";
export { type TextEmitter, textEmitter } from "./process/emit-text.ts";
export { isolatedBy, isolationOf, withIsolation } from "./process/isolation.ts";
export { type JsonLines, type JsonNoise, jsonLines } from "./process/json-lines.ts";
export { lastLines } from "./process/last-lines.ts";
export { lendFile } from "./process/lend-file.ts";
export type { OutputLine } from "./process/line-reader.ts";
export { type OpenCli, openCli } from "./process/open-cli.ts";
export {
  askProgram,
  type FoundProgram,
  type ProgramAnswer,
  probeProgram,
} from "./process/probe-program.ts";
export { spawnCli } from "./process/spawn-cli.ts";
export { stepEnvironment } from "./process/step-environment.ts";
export { versionOf } from "./process/version-of.ts";
export { buildAgentPrompt } from "./prompt/build-agent-prompt.ts";
export { buildThreadInput, type ThreadInputOptions } from "./prompt/build-thread-input.ts";
export type { McpTool, ThreadReach } from "./prompt/thread-access.ts";
export { type LentStore, lendStore } from "./tools/lend-store.ts";
export { stepStoreOf } from "./tools/step-store.ts";
export { programConversation, type TurnStart } from "./turn/program-conversation.ts";
export { runTurn, type TurnProgram } from "./turn/run-turn.ts";
export { type TurnHalt, turnHalt } from "./turn/turn-halt.ts";
export {
  endedTurn,
  failedRun,
  lostSession,
  type TurnVerdict,
  timedOutTurn,
} from "./turn/turn-verdict.ts";
