export {
  AGENT_FAULTS,
  AgentError,
  type AgentFault,
  agentError,
  agentFaultOf,
  FAULT_CODES,
} from "./agent-error.ts";
export { AGENT_OUTCOMES, type AgentEvent, type AgentOutcome } from "./agent-event.ts";
export type { AgentHost, AgentPackage, AgentProbe, ModelSettings } from "./agent-package.ts";
export type { BigBlobCopy, BigBlobs } from "./big-blobs.ts";
export type { BlobRow, BlobTable, BlobWrite } from "./blob-table.ts";
export type { CasStore, EncodedNode, NodeStore } from "./cas-store.ts";
export {
  CANARY_PRESETS,
  type CanaryFile,
  type CanaryPreset,
  type CheckEvidence,
  type CheckFault,
  type CheckIsolation,
  type CheckRule,
  type CheckRun,
} from "./check.ts";
export {
  COORDINATION,
  END,
  type End,
  FALLBACK,
  type Fallback,
  MAX_UNIX_MS,
  PROCESS_TAG_ENV,
  START,
  type Start,
  SUSPEND,
  type Suspend,
  UPGRADE,
} from "./constants.ts";
export {
  boundsOf,
  type Coordinates,
  type CoordinatorSession,
  type EngineTool,
  SUB_AGENT_TOOLS,
  WORKER_TOOLS,
  type WorkerDesk,
  type WorkerTool,
} from "./coordinates.ts";
export { type CoordinationNote, WORKER_ENDS, type WorkerEnd } from "./coordination.ts";
export {
  agentRoles,
  type DescriptorEdge,
  type DescriptorRole,
  type WorkflowDescriptor,
} from "./descriptor.ts";
export {
  type BudgetUse,
  type CallVerdict,
  type DayBudget,
  type Dispatch,
  type Full,
  type Hold,
  type LimitKey,
  limitInWords,
  NO_LIMITS,
  type ProviderLimits,
  type QueuePlace,
  type RootLimits,
  type SharedBudget,
  type SpentShare,
  type Taken,
} from "./dispatch.ts";
export { ERROR_CODES, type ErrorCode, exitCodeOf, isErrorCode } from "./error-codes.ts";
export { estimatedUsage } from "./estimated-usage.ts";
export {
  type CheckRequirement,
  type EvidenceRequirement,
  type RequiredEvidence,
  requiredCalls,
  requiredChecks,
  type ToolCallRecord,
} from "./evidence.ts";
export { EXIT, type ExitCode, type ExitKind } from "./exit-codes.ts";
export { failedOutput, failedRunOf } from "./failed-output.ts";
export { type Failure, failure, failureFrom, unwrap, WorkflowError } from "./failure.ts";
export {
  DEFAULT_ITEM_NAME,
  type Group,
  type GroupJoin,
  type GroupMember,
  type GroupPolicy,
  isSameGroup,
  MAX_AT_ONCE,
  MAX_GROUP_MEMBERS,
  membersIn,
  type StepGroup,
  stepsBeforeGroup,
} from "./group.ts";
export {
  HASH_PATTERN,
  isHash,
  isThreadId,
  LABEL_KEY_PATTERN,
  LABEL_VALUE_PATTERN,
  ROLE_NAME_PATTERN,
  THREAD_ID_PATTERN,
  TITLE_PATTERN,
  WORKFLOW_NAME_PATTERN,
} from "./identifiers.ts";
export {
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  parseJson,
  toJsonObject,
} from "./json.ts";
export { jsonInText } from "./json-in-text.ts";
export {
  DEFAULT_MAX_STEPS,
  type Limits,
  type ReachedLimit,
  type RetryPolicy,
  type RuleOutcome,
  raisedLimits,
  raisingOptions,
  type StepOutcome,
  type ThreadLimits,
} from "./limits.ts";
export type { LiveEvent } from "./live-event.ts";
export type { LiveGap, LiveItem, LiveLog, LiveRecord, LiveWriter } from "./live-log.ts";
export { memberRequest } from "./member-request.ts";
export type { ModeratorContext, ModeratorRule, ModeratorStep } from "./moderator.ts";
export type {
  CasNode,
  ContentNode,
  Digests,
  StartNode,
  StartPayload,
  StateNode,
  StatePayload,
} from "./nodes.ts";
export { NOTICE_EVENTS, type Notice, type NoticeEvent, type PendingNotice } from "./notice.ts";
export { type Err, err, type Ok, ok, type Result } from "./result.ts";
export type {
  ModeratorTable,
  PersonRules,
  RoleDefinition,
  RoleMeta,
  RoleRules,
  Transition,
  WorkflowDefinition,
} from "./role.ts";
export { targetOf } from "./role.ts";
export { roleNameFault } from "./role-name.ts";
export type {
  CollectReport,
  CollectRequest,
  MoveReport,
  RootStore,
  StoreKind,
} from "./root-store.ts";
export {
  FIRINGS_KEPT,
  type Firing,
  type FiringState,
  isOpenFiring,
  OVERLAPS,
  type Overlap,
  type PlannedStart,
  type Schedule,
  type SchedulePlan,
  type Schedules,
  type Timing,
} from "./schedule.ts";
export { SPENT_BY, type Spent, type SpentBy, type SpentSum } from "./spent.ts";
export { approves, PROOF_STATES, type StepProof } from "./step-proof.ts";
export {
  type PersonRecord,
  type StepRoute,
  type StepRun,
  sumUsage,
  type Usage,
} from "./step-run.ts";
export {
  STEP_ERRAND_ENV,
  STEP_STORE_ENV,
  STEP_STORE_REQUEST_BYTES,
  type StepCommand,
  type StepCommandPiece,
  type StepErrand,
  type StepErrandReport,
  type StepStoreAddress,
  type StepStoreAnswer,
  type StepStoreMessage,
  type StepStoreRequest,
} from "./step-store.ts";
export type { Machine, SavedFiles, StartFiles, StepWorkspace } from "./step-workspace.ts";
export {
  canMoveTask,
  type NewTask,
  type StepTaskAnswer,
  type StepTaskRequest,
  TASK_MESSAGES,
  TASK_STATES,
  TASK_TRANSITIONS,
  type Task,
  type TaskMessage,
  type TaskMessageType,
  type TaskMove,
  type TaskRef,
  type TaskState,
  type TaskStore,
  workerName,
} from "./task.ts";
export type { Activity, ThreadActivity } from "./thread-activity.ts";
export type { RoleStep, StartStep, ThreadContext } from "./thread-context.ts";
export type { HistoryLine, ThreadHistory } from "./thread-history.ts";
export {
  copiedFacts,
  endingOf,
  type FinishedThread,
  isFinished,
  type Lease,
  leaseOf,
  type NewThread,
  type PendingInput,
  type ProcessIdentity,
  pendingInputOf,
  type QueuedThread,
  queuePlaceOf,
  type RunningThread,
  type SignalKind,
  type SuspendedThread,
  suspensionOf,
  type ThreadCopy,
  type ThreadEnding,
  type ThreadFacts,
  type ThreadLabels,
  type ThreadRecord,
  type ThreadSteering,
  threadFacts,
  titleOf,
  type UnfinishedThread,
  waitsOf,
} from "./thread-record.ts";
export {
  canMove,
  type FinalStatus,
  isFinal,
  THREAD_STATUSES,
  THREAD_TRANSITIONS,
  type ThreadStatus,
} from "./thread-status.ts";
export type {
  AdoptedThread,
  AnswerMove,
  FinalMove,
  HeadMove,
  LeaseRef,
  OwnerMove,
  ParkedState,
  Renewed,
  ThreadStore,
} from "./thread-store.ts";
export { timerMs } from "./timer-ms.ts";
export { TOOL_KINDS, type ToolKind, type ToolPolicy, type ToolRule } from "./tool-policy.ts";
export type {
  FileMark,
  Trigger,
  TriggerPlan,
  TriggerSource,
  Triggers,
  WatchedFile,
  WatchedFileState,
} from "./trigger.ts";
export type {
  CheckReport,
  Problem,
  RecordedResult,
  StepView,
  ThreadResult,
  ThreadSummary,
  ThreadView,
  UpgradeView,
  WorkerView,
} from "./views.ts";
export {
  type Ask,
  type AskAnswer,
  type AskedMember,
  type AskingGroup,
  isPersonWait,
  type PersonWait,
  type RoleWait,
  type Wait,
  type Waits,
} from "./wait.ts";
export {
  DEFAULT_POOL,
  PLACE_NAME_PATTERN,
  type Placement,
  WORKER_GONE_MS,
  WORKER_STALE_MS,
  type WorkerFacts,
  type WorkerRecord,
  type Workers,
} from "./worker.ts";
export type { RoleData, WorkflowData } from "./workflow-data.ts";
export type {
  BundleVersion,
  RegistryChange,
  RegistryEntry,
  WorkflowRegistry,
} from "./workflow-registry.ts";
export type {
  AdapterBinding,
  AdapterFn,
  AgentCall,
  AgentFn,
  ChildOutcome,
  ChildRequest,
  EngineRuntime,
  ExtractFn,
  MemberScope,
  Permission,
  PersonCall,
  RoleCall,
  RoleFn,
  RoleGroup,
  RoleOutput,
  RoleResult,
  StepDirective,
  StepRequest,
  StepScope,
  Suspension,
  Unrecorded,
  WorkflowCompletion,
  WorkflowFn,
  WorkflowRuntime,
  WorkflowYield,
  YieldAnswer,
} from "./workflow-runtime.ts";
export {
  MEMBER_WORKSPACES,
  type MemberWorkspace,
  WORKSPACE_MODES,
  type WorkspaceMode,
} from "./workspace-mode.ts";
export { yieldedGroup, yieldedOutput } from "./yielded-group.ts";
