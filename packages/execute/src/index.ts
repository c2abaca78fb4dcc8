export { ANSWER } from "./answer-directive.ts";
export {
  type Bisection,
  type BisectStep,
  bisectThread,
  stepContent,
  type Verdict,
} from "./bisect-thread.ts";
export { checkStorage } from "./check-storage.ts";
export { checkTable } from "./check-table.ts";
export { checkThread, type RouteDifference, type ThreadCheck } from "./check-threads.ts";
export { collectStorage, DEFAULT_GRACE_MS, type StorageGcReport } from "./collect-storage.ts";
export { contextBrief } from "./context-brief.ts";
export type { ContextMessage, ContextPrompt } from "./context-message.ts";
export type { ContextWaiting } from "./context-waiting.ts";
export { type DiffedThread, type DiffRound, diffThreads, type ThreadDiff } from "./diff-threads.ts";
export {
  type DryRun,
  type DryRunEnd,
  type DryRunRoute,
  dryRun,
} from "./dry-run.ts";
export type { Engine } from "./engine.ts";
export { type ExecReport, execThread } from "./exec-thread.ts";
export { executeThread, type RunOutcome, type ThreadRun } from "./execute-thread.ts";
export { findThread } from "./find-thread.ts";
export { findVersion } from "./find-version.ts";
export { type Follow, followThread } from "./follow-thread.ts";
export type { ForkPoint } from "./fork-point.ts";
export { type Fork, forkThread } from "./fork-thread.ts";
export type { Interruption } from "./interruption.ts";
export { type LeftoverProcesses, leftoverProcesses } from "./leftover-processes.ts";
export { listThreads, type RunningThread, runningThreads } from "./list-threads.ts";
export { endedAndLost } from "./lost-threads.ts";
export { moveStorage, type StorageMove } from "./move-storage.ts";
export { observedStatus } from "./observe.ts";
export { atomicFolders, oldTemporaries } from "./old-temporaries.ts";
export { openEngine } from "./open-engine.ts";
export { withBlobs } from "./open-storage.ts";
export { parseStubs, type Stubs } from "./parse-stubs.ts";
export { pauseThread } from "./pause-thread.ts";
export { type Poke, pokeThread } from "./poke-thread.ts";
export { ownKeyFile } from "./provenance/attest-key.ts";
export { type AttestedThread, attestThread } from "./provenance/attest-thread.ts";
export { type ExportedThread, exportThread } from "./provenance/export-thread.ts";
export { type ImportedThread, importThread } from "./provenance/import-thread.ts";
export {
  type AttestationFiles,
  verifyAttested,
  verifyExport,
} from "./provenance/verify-against.ts";
export type { Publish } from "./publish.ts";
export { type Contender, type Race, raceThread } from "./race-thread.ts";
export { type RecoveredThreads, recoverThreads } from "./recover-threads.ts";
export { removeThread } from "./remove-thread.ts";
export { restInFiles } from "./rest-in-files.ts";
export { resumeThread } from "./resume-thread.ts";
export { type StartOptions, startThread } from "./start-thread.ts";
export { killThread, stopThread } from "./stop-thread.ts";
export type { TableFinding } from "./table-finding.ts";
export { type ContextPage, DEFAULT_BUDGET_CHARS, threadPage } from "./thread-pages.ts";
export { startPrompt, stepViews, viewThread } from "./thread-view.ts";
export { undoPoke } from "./undo-poke.ts";
export { type Upgrade, upgradeThread } from "./upgrade-thread.ts";
export { verifyThread } from "./verify-thread.ts";
export { waitForThread } from "./wait-for-thread.ts";
