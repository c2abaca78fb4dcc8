import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** Folders inside a package, by floor from top to bottom: a source file imports only from its own
 *  folder and from floors below it, so there is no way back and no circle. `.` is the package's
 *  `src` itself. Tests and their helpers (`testing` here) may look everywhere. */
const FLOORS = {
  cas: [["."], ["root", "suite"], ["files", "rows"], ["node"]],
  store: [
    ["."],
    ["fixtures", "live-suite", "lock", "sqlite", "suite"],
    ["operations"],
    ["database", "history", "live", "threads"],
  ],
  execute: [
    ["."],
    ["rewrite", "provenance", "backup", "move"],
    ["steer", "verify", "recover"],
    ["run", "table"],
    ["workers"],
    ["lease", "models", "read", "start", "telemetry"],
    ["travel"],
    ["worktrees"],
    ["chain", "runner", "watch"],
    ["storage"],
    ["archive", "keeper"],
    ["place", "processes"],
  ],
  cli: [
    ["."],
    ["gateway"],
    ["mcp", "schedule", "teach", "thread", "trigger"],
    ["doctor", "hooks", "thread/start", "thread/steer", "worker"],
    [
      "agent",
      "backup",
      "cas",
      "completion",
      "host",
      "init",
      "root",
      "setup",
      "skill",
      "task",
      "thread/look",
      "thread/proof",
      "workflow",
      "workspace",
    ],
    ["thread/several"],
    ["command", "thread/view"],
    ["terminal"],
  ],
  register: [["."], ["build"], ["bundle", "yaml"], ["agents", "check"], ["externals", "registry"]],
  "util-agent": [
    ["."],
    ["agent", "testing", "turn"],
    ["tools"],
    ["driver"],
    ["evidence", "prompt"],
    ["answer", "process"],
  ],
};

/** Every import that leaves its floor for the same or a higher one, and every folder without a
 *  floor; empty when there is none. */
export function folderProblems(root) {
  return Object.entries(FLOORS).flatMap(([name, floors]) => {
    const src = join(root, "packages", name, "src");
    const levels = new Map(floors.flatMap((row, at) => row.map((folder) => [folder, at])));
    const files = sources(src).map((file) => ({ file, folder: folderOf(src, file) }));
    const homeless = new Set(files.map(({ folder }) => folder).filter((it) => !levels.has(it)));
    return [
      ...[...homeless].map((folder) => `packages/${name}/src/${folder}: has no floor in the table`),
      ...files.flatMap(({ file, folder }) =>
        relativeImports(file)
          .map((specifier) => ({ specifier, to: folderOf(src, join(dirname(file), specifier)) }))
          .filter(({ to }) => to !== folder && !(levels.get(to) > levels.get(folder)))
          .map(
            ({ specifier, to }) =>
              `packages/${name}/src/${toPosix(relative(src, file))}: may not import ${specifier} (${folder} -> ${to})`,
          ),
      ),
    ];
  });
}

function sources(src) {
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
    .filter((entry) => !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What a file imports from its own package, types and loads on demand included. */
function relativeImports(file) {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1]);
}

const folderOf = (src, file) => toPosix(relative(src, dirname(file))) || ".";

const toPosix = (path) => path.split(sep).join("/");
