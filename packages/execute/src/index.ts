export { type BackedUp, backUp } from "./backup/back-up.ts";
export { type Restored, restoreBackup } from "./backup/restore.ts";
export { isSaid } from "./chain/answer-directive.ts";
export type { Interruption } from "./keeper/interruption.ts";
export { LEASE_TTL_MS } from "./keeper/lease-times.ts";
export { threadKeeper } from "./keeper/thread-keeper.ts";
export { acquire } from "./lease/acquire.ts";
export { releaseLease } from "./lease/release-lease.ts";
export { type MovedRoot, moveRoot, type RootToMove } from "./move/move-root.ts";
export { initRoot, type RootToInit, stopRootServer } from "./place/init-root.ts";
export { openSchedules, openTasks, openThreads, openTriggers } from "./place/open-parts.ts";
export { type RootPlace, readRootPlace } from "./place/root-place.ts";
export { type ServerReport, serverReport } from "./place/server-report.ts";
export { openRootBundle, sharedRegistry } from "./place/shared-registry.ts";
export { type HostFile, runningHost } from "./processes/host-file.ts";
export { lookForProcesses, type ProcessLook } from "./processes/process-look.ts";
export { leaseTag, stepOwner } from "./processes/process-tags.ts";
export { sharedGuard } from "./processes/shared-guard.ts";
export { ownKeyFile, type Passphrases } from "./provenance/attest-key.ts";
export { type AttestedThread, attestThread } from "./provenance/attest-thread.ts";
export { type ExportedThread, exportThread } from "./provenance/export-thread.ts";
export { type ImportedThread, importThread } from "./provenance/import-thread.ts";
export {
  type AttestationFiles,
  verifyAttested,
  verifyExport,
} from "./provenance/verify-against.ts";
export {
  type Bisection,
  type BisectStep,
  bisectThread,
  stepContent,
  type Verdict,
} from "./read/bisect-thread.ts";
export { contextBrief } from "./read/context-brief.ts";
export type { ContextMessage, ContextPrompt } from "./read/context-message.ts";
export type { ContextWaiting } from "./read/context-waiting.ts";
export {
  type DiffedThread,
  type DiffRound,
  diffThreads,
  type ThreadDiff,
} from "./read/diff-threads.ts";
export {
  type RestoredStep,
  restoreStep,
  type StepChanges,
  type StepPatch,
  stepChanges,
  stepPatch,
} from "./read/step-changes.ts";
export { type ContextPage, DEFAULT_BUDGET_CHARS, threadPage } from "./read/thread-pages.ts";
export { recordedResultOf, threadResult } from "./read/thread-result.ts";
export { type StepProof, stepProofs, threadStep } from "./read/thread-step.ts";
export { type BareStep, bareSteps, stepViews, threadHead, viewThread } from "./read/thread-view.ts";
export { withResults } from "./read/with-results.ts";
export { type RecoveredThreads, recoverThreads } from "./recover/recover-threads.ts";
export type { ForkFiles } from "./rewrite/files-of-fork.ts";
export type { ForkPoint } from "./rewrite/fork-point.ts";
export { type Fork, forkThread } from "./rewrite/fork-thread.ts";
export { type Poke, pokeThread } from "./rewrite/poke-thread.ts";
export { type Contender, type Race, raceThread, startRace } from "./rewrite/race-thread.ts";
export { undoPoke } from "./rewrite/undo-poke.ts";
export { type Upgrade, upgradeThread } from "./rewrite/upgrade-thread.ts";
export { executeThread, type RunOutcome, type ThreadRun } from "./run/execute-thread.ts";
export { isOverdue } from "./run/person-wait.ts";
export { runThread } from "./run/run-thread.ts";
export { noRoom } from "./run/thread-room.ts";
export { withNextRoles } from "./run/with-next-roles.ts";
export { hostState, wakeHost } from "./runner/ask-host.ts";
export { boundStderr } from "./runner/bound-stderr.ts";
export {
  type HostReply,
  type HostState,
  linesOf,
  parseHostRequest,
} from "./runner/host-messages.ts";
export {
  environmentMessage,
  splitEnvironment,
  takeEnvironment,
} from "./runner/runner-environment.ts";
export { parseRunnerReport, type RunnerReport } from "./runner/runner-report.ts";
export { findVersion } from "./start/find-version.ts";
export { answerThread, awaitedPerson } from "./steer/answer-thread.ts";
export { askLeftBehind } from "./steer/ask-left-behind.ts";
export { type ExecReport, execThread } from "./steer/exec-thread.ts";
export { lendStepRoom } from "./steer/lend-step-room.ts";
export { pauseThread } from "./steer/pause-thread.ts";
export { type Pruned, prunableThreads, pruneThreads } from "./steer/prune-threads.ts";
export { removeThread } from "./steer/remove-thread.ts";
export { resumeThread } from "./steer/resume-thread.ts";
export { type StartOptions, startDepth, startThread } from "./steer/start-thread.ts";
export { killThread, stopThread } from "./steer/stop-thread.ts";
export {
  type CollectedWorkspaces,
  collectWorkspaces,
  leftWorkspaces,
  listWorkspaces,
  type RemovedWorkspaces,
  removeWorkspaces,
  type Workspace,
} from "./steer/workspaces.ts";
export { checkCache } from "./storage/check-cache.ts";
export { checkStorage } from "./storage/check-storage.ts";
export { collectStorage } from "./storage/collect-storage.ts";
export type { Engine } from "./storage/engine.ts";
export { flushBeforeRelease } from "./storage/flush-before-release.ts";
export { leftoverFiles } from "./storage/leftover-files.ts";
export { endedAndLost } from "./storage/lost-threads.ts";
export { moveStorage, type StorageMove } from "./storage/move-storage.ts";
export { openEngine } from "./storage/open-engine.ts";
export { withBlobs } from "./storage/open-storage.ts";
export { checkTable } from "./table/check-table.ts";
export { checkThread, type RouteDifference, type ThreadCheck } from "./table/check-threads.ts";
export {
  type DryRun,
  type DryRunEnd,
  type DryRunRoute,
  dryRun,
} from "./table/dry-run.ts";
export { parseStubs, type Stubs } from "./table/parse-stubs.ts";
export type { TableFinding } from "./table/table-finding.ts";
export { startTelemetry, type Telemetry } from "./telemetry/start-telemetry.ts";
export { unpushedThreads } from "./travel/unpushed-threads.ts";
export { verifyThread } from "./verify/verify-thread.ts";
export { findThread } from "./watch/find-thread.ts";
export { type Follow, followThread } from "./watch/follow-thread.ts";
export { type LeftoverProcesses, leftoverProcesses } from "./watch/leftover-processes.ts";
export {
  type Active,
  type ListedThread,
  listThreads,
  queuedThreads,
  type RunningThread,
  runningThreads,
  waitingThreads,
  withActivity,
} from "./watch/list-threads.ts";
export { lookAtThread } from "./watch/look-at-thread.ts";
export { observedStatus } from "./watch/observe.ts";
export { openWaits } from "./watch/open-waits.ts";
export { threadActivity } from "./watch/thread-activity.ts";
export { type RestingThread, waitForThread, waitForThreads } from "./watch/wait-for-thread.ts";
export { threadsBeside, workTreeOf } from "./worktrees/neighbours.ts";
