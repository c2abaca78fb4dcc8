import { isAbsolute, join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";

/** Configuration that decides how files are read and written and that cannot make git run anything. */
export type HarmlessConfig = {
  /** In git's format, for the repository of our own. */
  text: string;
  /** Only some of the tracked files are checked out. */
  isSparse: boolean;
  /** The user's own list of ignored files, for a command that does not see the user's configuration. */
  excludes: string[];
};

const BOOLEAN = /^(?:true|false|yes|no|on|off|1|0|)$/i;

/** Settings that are taken over, with the values that are. Everything else stays behind: filters, monitors, hooks,
 *  pagers, drivers, includes, addresses. */
const TAKEN: Readonly<Record<string, RegExp>> = {
  "core.autocrlf": /^(?:true|false|input|yes|no|on|off|1|0)$/i,
  "core.eol": /^(?:lf|crlf|native)$/i,
  "core.filemode": BOOLEAN,
  "core.ignorecase": BOOLEAN,
  "core.precomposeunicode": BOOLEAN,
  "core.symlinks": BOOLEAN,
  "core.sparsecheckout": BOOLEAN,
  "core.excludesfile": /^[^\0\n]+$/,
  "core.attributesfile": /^[^\0\n]+$/,
};

const OFF = /^(?:false|no|off|0)$/i;

/** What of the configuration of machine, user and repository counts for a snapshot. */
export async function harmlessConfig(
  repository: Repository,
): Promise<Result<HarmlessConfig, Failure>> {
  const listed = await runGit(["config", "--list", "-z"], {
    scope: { gitDir: repository.gitDir },
    cwd: repository.workTree,
    usersConfig: true,
    encoding: "latin1",
  });
  if (!listed.ok) return listed;
  const taken = new Map<string, string>(defaultFiles(process.env));
  for (const entry of listed.value.split("\0")) {
    // `name<LF>value`; a name without a value means true.
    const [name = "", ...value] = entry.split("\n");
    if (value.length > 1 || !Object.hasOwn(TAKEN, name)) continue;
    const [text = "true"] = value;
    if (TAKEN[name]?.test(text)) taken.set(name, text);
  }
  const excludes = taken.get("core.excludesfile");
  return ok({
    text: configText(repository, taken),
    isSparse: isOn(taken, "core.sparsecheckout"),
    excludes: excludes === undefined ? [] : [`core.excludesFile=${utf8(excludes)}`],
  });
}

const utf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

/** Where git looks by default, when that is not below the home. */
function defaultFiles({ XDG_CONFIG_HOME: folder }: NodeJS.ProcessEnv): [string, string][] {
  if (folder === undefined || !isAbsolute(folder)) return [];
  return [
    ["core.excludesfile", Buffer.from(join(folder, "git/ignore")).toString("latin1")],
    ["core.attributesfile", Buffer.from(join(folder, "git/attributes")).toString("latin1")],
  ];
}

function isOn(taken: ReadonlyMap<string, string>, name: string): boolean {
  const value = taken.get(name);
  return value !== undefined && value !== "" && !OFF.test(value);
}

function configText(repository: Repository, taken: ReadonlyMap<string, string>): string {
  const lines = [...taken].map(
    ([name, value]) => `${name.slice("core.".length)} = ${quoted(value)}`,
  );
  return [
    "[core]",
    "repositoryformatversion = 1",
    "bare = false",
    "safecrlf = false",
    ...lines,
    "[extensions]",
    ...(repository.objectFormat === "sha256" ? ["objectformat = sha256"] : []),
    "",
  ].join("\n");
}

const quoted = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
