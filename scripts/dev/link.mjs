import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DevError } from "./dev-error.mjs";
import { globalPrefix } from "./npm.mjs";
import { shellWord } from "./shell-word.mjs";

const NAMES = ["uncaged-workflow", "uwf"];
/** How a file says that it is ours to replace and to remove. */
const MARK = "# Linked from a clone of uncaged-workflow";

/** What `npm run link` was asked for; throws before anything is built. */
export function parseLink(args) {
  try {
    const { values } = parseArgs({
      args,
      options: { prefix: { type: "string" }, remove: { type: "boolean", default: false } },
    });
    return values;
  } catch (error) {
    throw new DevError(error.message, "Usage: npm run link -- [--prefix <folder>] [--remove]", 2);
  }
}

/** Puts the clone's command on the PATH, or takes it away. `node` is the program that runs it: one that fits, also
 *  when the person's own is too old. Returns what to print. */
export function link({ root, node, asked, env }) {
  if (process.platform === "win32")
    throw new DevError("the command cannot be linked on Windows", "Use it in WSL.");
  const bin = join(prefixOf(asked.prefix), "bin");
  return asked.remove ? removed(bin) : linked({ root, node, bin, asked, env });
}

/** npm hands `~` on as it is when it stands behind `=`. */
function prefixOf(given) {
  if (given === undefined) return globalPrefix();
  return resolve(process.env.INIT_CWD ?? process.cwd(), given.replace(/^~(?=\/|$)/, homedir()));
}

function linked({ root, node, bin, asked, env }) {
  // All or nothing: every file is looked at before the first is written.
  mustBeWritable(bin);
  for (const name of NAMES) mustBeOurs(join(bin, name));
  for (const name of NAMES) write(join(bin, name), launcher({ root, node, name }));
  const option = asked.prefix === undefined ? "" : ` --prefix ${shellWord(dirname(bin))}`;
  const onPath = (env.PATH ?? "").split(delimiter).some((folder) => resolve(folder) === bin);
  return [
    `${NAMES.join(" and ")} are in ${bin}; they run what this clone has built, by ${node}`,
    ...(onPath
      ? []
      : [
          `It is not on your PATH yet: export PATH=${shellWord(bin)}:"$PATH"   (for good: in your shell's profile)`,
        ]),
    "Start with: uncaged-workflow init my-flows",
    `Take them away with: npm run link -- --remove${option}`,
  ];
}

function removed(bin) {
  const there = NAMES.map((name) => join(bin, name)).filter((file) => isThere(file));
  for (const file of there) mustBeOurs(file);
  if (there.length > 0) mustBeWritable(bin);
  for (const file of there) rmSync(file);
  return [
    there.length === 0
      ? `There is nothing to take away in ${bin}`
      : `Removed ${there.join(" and ")}; the clone and what the command stored are as they were`,
  ];
}

/** Plain sh: it runs where the person's Node is too old, and says so when the clone has gone. */
function launcher({ root, node, name }) {
  const main = join(root, "packages/cli/bin", `${name}.mjs`);
  return [
    "#!/bin/sh",
    `${MARK}; taken away by: npm run link -- --remove`,
    `main=${shellWord(main)}`,
    `node=${shellWord(node)}`,
    'if [ ! -f "$main" ]; then',
    `  echo "${name}: the clone is gone that it was linked from: $main" >&2`,
    '  echo "Link it again there (npm run link), or delete this file: $0" >&2',
    "  exit 2",
    "fi",
    '[ -x "$node" ] || node=node',
    'exec "$node" "$main" "$@"',
    "",
  ].join("\n");
}

function mustBeOurs(file) {
  if (!isThere(file)) return;
  const text = existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : "";
  if (text.includes(MARK)) return;
  throw new DevError(
    `${file} is there already and is not a link of a clone; nothing was changed`,
    "If npm installed it: npm uninstall --global @uncaged/cli-workflow. Or link elsewhere: npm run link -- --prefix ~/.local",
  );
}

function isThere(file) {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function mustBeWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new DevError(
      `cannot write to ${folder}: ${error.message}`,
      "Link into a folder of your own: npm run link -- --prefix ~/.local",
    );
  }
}

/** By a rename: a shell that is reading the old one goes on with it. */
function write(file, text) {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o755, flag: "wx" });
  renameSync(temporary, file);
}
