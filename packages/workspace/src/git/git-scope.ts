/** Where a git command works, told to git by its environment, so that nothing is discovered and nothing of the caller's
 *  environment counts. */
export type GitScope = {
  /** The repository (`GIT_DIR`): its configuration, refs and hooks folder are those git sees. */
  gitDir: string;
  /** Root of the files (`GIT_WORK_TREE`); left out: the command touches no files. */
  workTree?: string;
  /** Index file; left out: that of the repository. */
  index?: string;
  /** Where objects are written and read, when not in `gitDir`. */
  objects?: string;
  /** Folders of objects that are only read. */
  alternates?: readonly string[];
};

/** Configuration that holds whatever the repository's own says. Nothing here can be undone by a file that an agent
 *  can write, because the command line counts most. */
const FIXED_CONFIG = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.pager=cat",
  "core.askPass=",
  "safe.directory=*",
  "credential.helper=",
  "protocol.ext.allow=never",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "push.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
];

export const FIXED_ARGS: readonly string[] = FIXED_CONFIG.flatMap((pair) => ["-c", pair]);

/** What git sees of the environment: the PATH, a home for `ssh` and the scope. Configuration of the user and of the
 *  machine stays out, unless a command that only lists it asks for it; who needs a value of it passes it on. */
export function gitEnvironment(
  scope: GitScope | null,
  host: NodeJS.ProcessEnv,
  { usersConfig }: { usersConfig: boolean } = { usersConfig: false },
): Record<string, string> {
  return {
    ...named(KEPT, host),
    ...(usersConfig ? named(CONFIG_PLACES, host) : NO_CONFIG),
    LC_ALL: "C",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_PROTOCOL_FROM_USER: "0",
    ...(scope === null ? {} : scopeVariables(scope)),
  };
}

const KEPT = ["PATH", "HOME", "TMPDIR", "SystemRoot", "SSH_AUTH_SOCK", "SSH_AGENT_PID"];

const CONFIG_PLACES = [
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

const NO_CONFIG = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

function named(names: readonly string[], host: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])),
  );
}

function scopeVariables(scope: GitScope): Record<string, string> {
  return {
    GIT_DIR: scope.gitDir,
    ...(scope.workTree === undefined ? {} : { GIT_WORK_TREE: scope.workTree }),
    ...(scope.index === undefined ? {} : { GIT_INDEX_FILE: scope.index }),
    ...(scope.objects === undefined ? {} : { GIT_OBJECT_DIRECTORY: scope.objects }),
    ...(scope.alternates === undefined
      ? {}
      : { GIT_ALTERNATE_OBJECT_DIRECTORIES: scope.alternates.map(quoted).join(":") }),
  };
}

/** A path that starts with a quote is read as a C string, in which a colon is no separator. */
function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
