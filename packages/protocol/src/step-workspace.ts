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
  /** Where else the files are; left out in a root that is in its folder. */
  saved?: SavedFiles;
};

/** How another machine gets files, in a root that machines share. */
export type SavedFiles = {
  /** Has the files, and behind it the commit that HEAD named. */
  commit: string;
  /** Its snapshots are at `refs/uncaged/<thread>`, in the repository and on the remote. */
  thread: string;
  /** URL without user and password; null: the repository has no remote. */
  remote: string | null;
  /** Whether the remote has the commit. Else the files are on that machine only. */
  pushed: boolean;
  machine: Machine;
  /** The thread's working directory, relative to the root of the work tree; left out: the files are those of a member of
   *  a group, not the thread's own. */
  place?: string;
  /** First parts of the paths that git ignores, at most 50: these stay where they are. */
  left: readonly string[];
};

/** The folder of a storage root on a machine that shares the root with others. */
export type Machine = {
  /** 16 hexadecimal digits, made with the folder. */
  id: string;
  /** Host name. */
  name: string;
};

/** The files that a thread begins with. */
export type StartFiles = SavedFiles & {
  tree: string;
  /** Commit that HEAD names in the beginning; null: none yet. */
  head: string | null;
  objectFormat: StepWorkspace["objectFormat"];
};
