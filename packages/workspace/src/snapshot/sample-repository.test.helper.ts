import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unwrap } from "@uncaged/workflow-protocol";
import { findRepository, type Repository } from "../repository/find-repository.ts";
import { type Snapshot, takeSnapshot } from "./take-snapshot.ts";

export type SampleRepository = {
  folder: string;
  keep: string;
  git: (...args: string[]) => string;
  write: (files: Record<string, string | Uint8Array>) => void;
  commit: (files: Record<string, string | Uint8Array>) => void;
  snapshot: (at?: string) => Promise<Snapshot>;
  /** Names in the tree of a snapshot; those of a sub-folder in full. */
  names: (tree: string) => string[];
  repository: (at?: string) => Promise<Repository>;
  [Symbol.dispose]: () => void;
};

/** A repository with real git; `keep` is outside of it. */
export function sampleRepository(...init: string[]): SampleRepository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-snapshot-")));
  const folder = join(root, "repo");
  const keep = join(root, "keep");
  mkdirSync(folder);
  const git = (...args: string[]): string =>
    execFileSync("git", [...WHO, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: ENV,
      stdio: "pipe",
    });
  const write: SampleRepository["write"] = (files) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
  };
  const repository = async (at = folder): Promise<Repository> => {
    const found = unwrap(await findRepository(at));
    if (found === null) throw new Error(`${at} is in no repository`);
    return found;
  };
  git("init", "-q", "-b", "main", ...init);
  return {
    folder,
    keep,
    git,
    write,
    commit: (files) => {
      write(files);
      git("add", "-A", "-f");
      git("commit", "-q", "-m", "x");
    },
    snapshot: async (at) => unwrap(await takeSnapshot({ repository: await repository(at), keep })),
    names: (tree) => git("ls-tree", "-r", "-z", "--name-only", tree).split("\0").slice(0, -1),
    repository,
    [Symbol.dispose]: () => {
      execFileSync("chmod", ["-R", "u+rwX", root]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const WHO = [
  "-c",
  "user.name=A",
  "-c",
  "user.email=a@example.org",
  "-c",
  "protocol.file.allow=always",
];

const ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  // Some tests give their files to another user.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};
