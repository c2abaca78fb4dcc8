import { basename, resolve } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { shellWord } from "../command/shell-word.ts";
import { carriedPackages, VENDOR } from "./carried-packages.ts";
import { projectFiles } from "./project-files.ts";
import { checkProjectName } from "./project-name.ts";
import type { Template } from "./templates.ts";
import { writeProject } from "./write-project.ts";

/** Creates a project named after its folder, and prints the next steps. */
export async function makeProject(
  { dir, template }: { dir: string; template: Template },
  io: Pick<Io, "cwd">,
): Promise<Result<Output, Failure>> {
  const folder = resolve(io.cwd, dir);
  const name = checkProjectName(basename(folder));
  if (!name.ok) return name;
  const packages = { version: cliVersion(), carried: carriedPackages() };
  const files = await projectFiles({ template, name: name.value, packages });
  const written = await writeProject(folder, files);
  if (!written.ok) return written;
  const paths = files.map(({ path }) => path);
  const next = nextCommands({ dir: folder === io.cwd ? null : dir, name: name.value, template });
  return ok({
    document: { folder, name: name.value, template, files: paths, next },
    human: ({ bold, dim }) => {
      const lines = [
        `Made ${bold(name.value)} in ${folder}`,
        ...shownPaths(paths).map((path) => dim(`  ${path}`)),
      ];
      return [...lines, "", "Next:", ...next.map((command) => `  ${command}`)].join("\n");
    },
  });
}

/** Without listing each package. */
function shownPaths(paths: readonly string[]): string[] {
  const own = paths.filter((path) => !path.startsWith(`${VENDOR}/`));
  return own.length === paths.length ? own : [...own, `${VENDOR}/  the @uncaged packages`];
}

function nextCommands({
  dir,
  name,
  template,
}: {
  dir: string | null;
  name: string;
  template: Template;
}): string[] {
  const enter = dir === null ? [] : [`cd ${shellWord(dir)}`];
  return template === "yaml" ? [...enter, ...withoutCode(name)] : [...enter, ...inCode(name)];
}

function inCode(name: string): string[] {
  return [
    "npm install",
    "npm test",
    "npm run build",
    `npx uncaged-workflow workflow add ${name} dist/workflow.esm.js`,
    `npx uncaged-workflow run ${name} --prompt "…" --wait`,
  ];
}

function withoutCode(name: string): string[] {
  return [
    `uncaged-workflow agent add @uncaged/workflow-agent-command --name practice --option command=node 'args=["practice.mjs"]' output=json`,
    `uncaged-workflow workflow add ${name} flow.yaml`,
    `uncaged-workflow run ${name} --prompt "Greet Ada" --wait`,
  ];
}
