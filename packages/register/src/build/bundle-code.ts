/** Bundles an entry and everything it imports into one module, with the same bytes for the same sources in any
 *  folder on any machine. Only packages of the scope `@uncaged/` and Node's own modules stay external. */
import { isBuiltin } from "node:module";
import { dirname } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type InputOptions,
  type OutputOptions,
  type RolldownBuild,
  type RolldownLog,
  rolldown,
  VERSION,
} from "rolldown";
import { EXTERNAL_SCOPE } from "../externals/external-name.ts";

export type BundledCode = {
  code: string;
  /** JSON; source paths are relative to the bundle's folder. */
  sourceMap: string;
  rolldown: string;
};

/** Each of these keeps the bytes independent of where and by whom they were built. */
const INPUT = {
  platform: "node",
  external: new RegExp(`^${EXTERNAL_SCOPE}`),
  // A tsconfig further up the tree must not change the bytes.
  tsconfig: false,
  transform: { target: "node22" },
} as const satisfies InputOptions;

const OUTPUT = {
  format: "esm",
  minify: true,
  comments: false,
  codeSplitting: false,
  // A separate file that the bundle does not mention: it may differ between machines.
  sourcemap: "hidden",
} as const satisfies OutputOptions;

/** `folder` is where the bundle will be: only the source map refers to it. */
export async function bundleCode(paths: {
  entry: string;
  folder: string;
}): Promise<Result<BundledCode, Failure>> {
  const unresolved: RolldownLog[] = [];
  try {
    const build = await rolldown({
      ...INPUT,
      input: paths.entry,
      // File names in messages are relative to this.
      cwd: dirname(paths.entry),
      onLog: (_, log) => {
        if (log.code === "UNRESOLVED_IMPORT") unresolved.push(log);
      },
    });
    try {
      return await generate(build, { folder: paths.folder, unresolved });
    } finally {
      await build.close();
    }
  } catch (thrown) {
    return err(buildFailed(thrown));
  }
}

async function generate(
  build: RolldownBuild,
  { folder, unresolved }: { folder: string; unresolved: readonly RolldownLog[] },
): Promise<Result<BundledCode, Failure>> {
  const { output } = await build.generate({ ...OUTPUT, dir: folder });
  const [chunk] = output;
  const missing = chunk.imports.find(
    (name) => !name.startsWith(EXTERNAL_SCOPE) && !isBuiltin(name),
  );
  if (missing !== undefined) return err(notInstalled(missing, unresolved));
  return ok({ code: chunk.code, sourceMap: chunk.map?.toString() ?? "", rolldown: VERSION });
}

/** The bundler would leave the import as it is, and the bundle would fail when it runs. */
function notInstalled(name: string, logs: readonly RolldownLog[]): Failure {
  const log = logs.find(({ message }) => message.includes(`'${name}'`));
  return failure(
    "BUILD_FAILED",
    `${placeOf(log)}cannot find ${JSON.stringify(name)}`,
    `install it: npm install ${name}`,
  );
}

function buildFailed(thrown: unknown): Failure {
  const { errors = [] }: { errors?: RolldownLog[] } = Object(thrown);
  const problems = errors.map((log) => `${placeOf(log)}${firstLine(log.message)}`);
  const message = problems.length > 0 ? problems.slice(0, 5).join("\n") : firstLine(String(thrown));
  return failure(
    "BUILD_FAILED",
    message,
    "correct the sources and build again; nothing was written",
  );
}

function placeOf(log: RolldownLog | undefined): string {
  const { loc } = log ?? {};
  if (loc === undefined) return "";
  // Lines count from 1 and columns from 0; editors count both from 1.
  return `${loc.file ?? log?.id ?? ""}:${loc.line}:${loc.column + 1}: `;
}

/** The rest is a drawing of the place; the code in brackets means nothing to a person, and the file was already
 *  named. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replace(/^(?:Error: )?\[\w+\] /, "").replace(/^(Could not resolve '.*') in .*/, "$1");
}
