import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Template } from "./templates.ts";
import type { ProjectFile } from "./write-project.ts";

const SCAFFOLD = fileURLToPath(new URL("../../scaffold/", import.meta.url));
/** What the projects in `scaffold/` are called. */
const PLACEHOLDER = "my-flows";

/** The files of a new project. */
export async function projectFiles(project: {
  template: Template;
  name: string;
  /** Of the command line: the packages of one release belong together. */
  version: string;
}): Promise<ProjectFile[]> {
  const folder = join(SCAFFOLD, project.template);
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), "utf8");
      return filledIn({ path: path.split(sep).join("/"), text }, project);
    }),
  );
}

function filledIn(file: ProjectFile, project: { name: string; version: string }): ProjectFile {
  switch (file.path) {
    case "package.json":
      return { ...file, text: manifest(file.text, project) };
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

function manifest(text: string, { name, version }: { name: string; version: string }): string {
  const ours = (_: string, packageName: string): string => `${packageName}"${version}"`;
  return text
    .replace(`"name": "${PLACEHOLDER}"`, `"name": "${name}"`)
    .replace(/("@uncaged\/[a-z-]+": )"[^"]*"/g, ours);
}
