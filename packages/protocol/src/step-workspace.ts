/** What a role did to the files of the git repository that it worked in. Trees hold all files that are not ignored. */
export type StepWorkspace = {
  /** Absolute path of the git folder that has the objects: what all work trees of the repository share. */
  repository: string;
  /** Absolute path of the work tree. */
  workTree: string;
  /** Commit that HEAD named at the end; null: none yet. */
  head: string | null;
  /** Branch that HEAD was on at the end; null: on none. */
  branch: string | null;
  /** Tree when the role began; of a member of a group, when its group did. */
  before: string;
  /** Tree when the role had ended and its processes were gone. */
  after: string;
  objectFormat: "sha1" | "sha256";
};
