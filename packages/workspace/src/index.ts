export type { CheckPlaces } from "./check/check-environment.ts";
export { folderEvidence, memoryEvidence } from "./check/evidence-memo.ts";
export { type CheckCache, pruneCheckCache } from "./check/prune-check-cache.ts";
export { type CheckOptions, checkKey, runCheck } from "./check/run-check.ts";
export type { GitScope } from "./git/git-scope.ts";
export { type GitOptions, type GitRun, gitFailed, isFull, runGit, tryGit } from "./git/run-git.ts";
export { dropRemoteSnapshots, fetchSnapshots } from "./remote/fetch-snapshots.ts";
export { ignoredNames } from "./remote/ignored-names.ts";
export { pushSnapshots } from "./remote/push-snapshots.ts";
export { type GitSettings, remoteAccess, settingsIn } from "./remote/remote-access.ts";
export { openUrl, originUrl } from "./remote/remote-url.ts";
export {
  branchOf,
  findRepository,
  headOf,
  type ObjectFormat,
  type Repository,
  repositoryAt,
} from "./repository/find-repository.ts";
export { mayBeInRepository, workTreeAround } from "./repository/may-be-in-repository.ts";
export { bundleTrees, initBare, unbundleTrees } from "./snapshot/bundle-trees.ts";
export { changedFiles, type FileChange } from "./snapshot/changed-files.ts";
export { filePatch } from "./snapshot/file-patch.ts";
export { forgetWorkTree } from "./snapshot/own-git.ts";
export {
  dropSnapshots,
  keepSnapshots,
  recordSnapshot,
  type SnapshotRecord,
  shareSnapshots,
  snapshotRef,
  snapshotTip,
} from "./snapshot/record-snapshot.ts";
export { restoreTree } from "./snapshot/restore-tree.ts";
export { isSwitchingTo, switchTree, type TreeSwitch } from "./snapshot/switch-tree.ts";
export { type Snapshot, type SnapshotRequest, takeSnapshot } from "./snapshot/take-snapshot.ts";
export { type BrokenTree, brokenTrees } from "./snapshot/whole-trees.ts";
export { addWorktree, commitNamed, type NewWorktree, treeNamed } from "./worktree/add-worktree.ts";
export { archiveWorktree } from "./worktree/archive-worktree.ts";
export { copyIncluded } from "./worktree/copy-included.ts";
export { ignorePaths } from "./worktree/ignore-paths.ts";
export { listWorktrees, type Worktree } from "./worktree/list-worktrees.ts";
export { type PlainOptions, withPlainGitDir } from "./worktree/plain-git-dir.ts";
export { type RegisteredWorktree, registeredWorktrees } from "./worktree/registered-worktrees.ts";
export { removeWorktree } from "./worktree/remove-worktree.ts";
export { type Setup, setUpWorktree } from "./worktree/set-up-worktree.ts";
export { isSaved, type Unsaved, underwayIn, unsavedIn } from "./worktree/unsaved-in.ts";
