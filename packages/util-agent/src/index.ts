export { looksSecret, type Redactor, type RedactStream, redactor } from "@uncaged/workflow-util";
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
export type {
  AgentConversation,
  AgentDriver,
  AgentOptions,
  AgentStep,
  TurnResult,
} from "./agent-driver.ts";
export { buildAgentPrompt } from "./build-agent-prompt.ts";
export { buildThreadInput, type ThreadInputOptions } from "./build-thread-input.ts";
export { type CapturedOutput, captureOutput, type OutputCapture } from "./captured-output.ts";
export { cliEnvironment, type Environment, type EnvironmentChoice } from "./cli-environment.ts";
export type { CliRun, CliStop, OpenCliOptions, SpawnCliOptions } from "./cli-run.ts";
export { createAgent } from "./create-agent.ts";
export { type AgentCall, createAgentAdapter } from "./create-agent-adapter.ts";
export { type TextEmitter, textEmitter } from "./emit-text.ts";
export { EMPTY_TURN } from "./empty-turn.ts";
export { type EvidenceBook, evidenceBook } from "./evidence-book.ts";
export { evidenceRefusal } from "./evidence-refusal.ts";
export { faultInWords } from "./fault-in-words.ts";
export { type JsonLines, type JsonNoise, jsonLines } from "./json-lines.ts";
export { lastLines } from "./last-lines.ts";
export { lendFile } from "./lend-file.ts";
export type { OutputLine } from "./line-reader.ts";
export { modelAgentPackage } from "./model-agent-package.ts";
export {
  type ModelAccess,
  type ModelEndpoint,
  modelEndpoint,
  modelSecrets,
  probeModel,
} from "./model-endpoint.ts";
export { type OpenCli, openCli } from "./open-cli.ts";
export {
  askProgram,
  type FoundProgram,
  type ProgramAnswer,
  probeProgram,
} from "./probe-program.ts";
export { readAgentOptions, readOptions } from "./read-agent-options.ts";
export { readContent } from "./read-content.ts";
export { describeIssues, readStructured } from "./read-structured.ts";
export { spawnCli } from "./spawn-cli.ts";
export { stepEnvironment } from "./step-environment.ts";
export type { McpTool, ThreadReach } from "./thread-access.ts";
export { versionIn } from "./version-in.ts";
export { withRun } from "./with-run.ts";
