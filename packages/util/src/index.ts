export {
  type AtomicOutcome,
  type AtomicWrite,
  linkExclusive,
  writeFileAtomic,
  writeFileAtomicSync,
} from "./atomic-file.ts";
export {
  type CapturedOutput,
  captureOutput,
  type OutputCapture,
} from "./captured-output.ts";
export { crockford64, randomTag } from "./crockford.ts";
export { makeFolderSync, syncFolder, syncFolderSync } from "./folder.ts";
export { type EndReport, type EndRequest, killTagged } from "./kill-tagged.ts";
export { type DebugLog, debugLog } from "./log.ts";
export { printable, printableLine } from "./printable.ts";
export { keepPrivateSync, takeFromOthersSync } from "./private-file.ts";
export { identifyProcess, isStopped, livenessOf, ownIdentity } from "./process-identity.ts";
export { findTagged, processesWith, type Run, runMembers } from "./process-tag.ts";
export { programPath } from "./program-path.ts";
export { quotedText } from "./quoted-text.ts";
export { isWithin, realPath } from "./real-path.ts";
export { type Redactor, type RedactStream, redactor } from "./redactor.ts";
export {
  APPEND_NOW,
  openRegularFile,
  READ_NOW,
  readRegularFile,
  readRegularFileSync,
  type Unreadable,
} from "./regular-file.ts";
export { hasIndex, isShared } from "./root-state.ts";
export { looksSecret } from "./secret-names.ts";
export type { SecretSource } from "./secret-needles.ts";
export { isErrno, storageFailed } from "./storage-failed.ts";
export {
  type StoragePaths,
  type StorageRootEnv,
  storagePaths,
  storageRoot,
} from "./storage-root.ts";
export { structuredIn } from "./structured-text.ts";
export { newThreadId, threadIdTime } from "./thread-id.ts";
