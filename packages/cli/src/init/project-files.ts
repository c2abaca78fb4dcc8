import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { INDEX, VENDOR } from "./carried-packages.ts";
import { type ProjectPackages, withPackages, withPnpmOverrides } from "./project-packages.ts";
import type { Template } from "./templates.ts";
import type { ProjectFile } from "./write-project.ts";

const SCAFFOLD = fileURLToPath(new URL("../../scaffold/", import.meta.url));
/** The name of the projects in `scaffold/`. */
const PLACEHOLDER = "my-flows";

/** The files of a new project. */
export async function projectFiles(project: {
  template: Template;
  name: string;
  packages: ProjectPackages;
}): Promise<ProjectFile[]> {
  const folder = join(SCAFFOLD, project.template);
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const own = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), "utf8");
      return filledIn({ path: path.split(sep).join("/"), text }, project);
    }),
  );
  // The command line alone can run a workflow without code.
  return project.template === "yaml" ? own : [...own, ...vendored(project.packages)];
}

/** The packages that come with the project, and their index. */
export function vendored({ carried }: ProjectPackages): ProjectFile[] {
  if (carried === null) return [];
  return [INDEX, ...carried.files.values()].map((name) => ({
    path: `${VENDOR}/${name}`,
    copyOf: join(carried.folder, name),
  }));
}

type TextFile = { path: string; text: string };

function filledIn(file: TextFile, project: { name: string; packages: ProjectPackages }): TextFile {
  switch (file.path) {
    case "package.json":
      return { ...file, text: manifest(file.text, project) };
    case "pnpm-workspace.yaml":
      return { ...file, text: withPnpmOverrides(file.text, project.packages) };
    case "README.md":
      return { ...file, text: file.text.replaceAll(PLACEHOLDER, project.name) };
    // Under their own names these two would be left out of our package.
    case "gitignore":
      return { ...file, path: ".gitignore" };
    case "test/workflow.ts":
      return { ...file, path: "test/workflow.test.ts" };
    default:
      return file;
  }
}

function manifest(
  text: string,
  { name, packages }: { name: string; packages: ProjectPackages },
): string {
  const scaffold: { [key: string]: unknown } = JSON.parse(text);
  return `${JSON.stringify({ ...withPackages(scaffold, packages), name }, null, 2)}\n`;
}
