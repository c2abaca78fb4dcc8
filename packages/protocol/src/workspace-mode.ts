/** Where a thread works: in the folder that it was given (`shared`, `exclusive`: alone there), or in a git worktree of
 *  its own. */
export const WORKSPACE_MODES = ["shared", "exclusive", "worktree"] as const;
export type WorkspaceMode = (typeof WORKSPACE_MODES)[number];

/** Where a member of a group works: where the thread does, or in a git worktree of its own. */
export const MEMBER_WORKSPACES = ["shared", "worktree"] as const;
export type MemberWorkspace = (typeof MEMBER_WORKSPACES)[number];
