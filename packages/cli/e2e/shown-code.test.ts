/** The code in documents compiles and prints what they say it prints; the commands they name exist. */
import { execFile } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allCommands } from "../src/command/command-tree.ts";
import { COMMANDS } from "../src/commands.ts";
import { strangeCalls } from "../src/skill/strange-calls.test.helper.ts";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { steadyText } from "./steady-text.test.helper.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const MINIMAL = join(REPOSITORY, "packages/cli/scaffold/minimal/src/workflow.ts");
const run = promisify(execFile);

const DOCUMENTS = globSync(
  ["README.md", "docs/*.md", "docs/*/*.md", "packages/*/README.md", "templates/*/README.md"],
  { cwd: REPOSITORY },
).sort();

/** What a document assumes: declarations before its code, and files beside it. */
const GIVEN: { readonly [document: string]: { before?: string; files?: Record<string, string> } } =
  {
    "docs/testing-workflows.md": {
      files: { "src/definition.ts": read("packages/cli/scaffold/minimal/src/definition.ts") },
    },
    "docs/writing-an-adapter.md": {
      files: {
        "scribe-driver.ts": read("examples/own-adapter/scribe-driver.ts"),
        "scribe-event.ts": read("examples/own-adapter/scribe-event.ts"),
      },
    },
    "docs/errors/BUNDLE_EXPORTS.md": {
      before: `import { buildDescriptor, createWorkflow, type AdapterFn } from "@uncaged/workflow-runtime";
import { developWorkflowDefinition as definition } from "@uncaged/workflow-template-develop";
declare const adapter: AdapterFn;`,
    },
    "packages/moderator/README.md": {
      before: `import type { ModeratorContext } from "@uncaged/workflow-protocol";
declare const context: ModeratorContext;`,
    },
    "packages/register/README.md": {
      before: `import type { ThreadStore } from "@uncaged/workflow-protocol";
declare const store: ThreadStore;`,
    },
    "packages/runtime/README.md": {
      files: {
        "my-adapter.ts": `import type { AdapterFn } from "@uncaged/workflow-runtime";
export declare const myAdapter: AdapterFn;`,
      },
    },
    "packages/util-agent/README.md": {
      before: `import type { AgentDriver } from "@uncaged/workflow-util-agent";
declare function scribeDriver(config: object): AgentDriver;`,
    },
    "packages/tasks/README.md": {
      before: `import type { TaskStore } from "@uncaged/workflow-protocol";
import { openDesk, spawnTask, type TaskSettings } from "@uncaged/workflow-tasks";
import type { Repository } from "@uncaged/workflow-workspace";
declare const repository: Repository, store: TaskStore, settings: TaskSettings, env: NodeJS.ProcessEnv;
declare const now: () => number, say: (line: string) => void;`,
    },
    "packages/store/README.md": {
      before: `import type { EncodedNode, NewThread, ProcessIdentity } from "@uncaged/workflow-protocol";
declare const newThread: NewThread, process: ProcessIdentity, state: EncodedNode, nowMs: number;`,
    },
    "packages/testkit/README.md": {
      files: {
        "definition.ts": `import { defineWorkflow } from "@uncaged/workflow-runtime";
import { z } from "zod";
const role = { description: "", systemPrompt: "", schema: z.object({ ok: z.boolean() }), extractRefs: null };
export const definition = defineWorkflow({
  description: "",
  roles: { coder: role, reviewer: role },
  table: { __start__: [], coder: [], reviewer: [] },
});`,
      },
    },
  };

let folder = "";
let cli: Cli;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "uwf-shown-"));
  linkPackages(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cli = openCli();
  const file = join(cli.dir, "my-flows.esm.js");
  await cli.json(["workflow", "build", MINIMAL, "--out", file]);
  await cli.json(["workflow", "add", "my-flows", file]);
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the code that documents show", () => {
  it("compiles as shown", async () => {
    for (const document of DOCUMENTS) writeShown(document);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
    const tsc = join(REPOSITORY, "node_modules/.bin/tsc");
    const { stdout } = await run(tsc, ["--project", folder], { cwd: folder }).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(stdout.split("\n")).toEqual([""]);
  });

  it.each(DOCUMENTS)("%s: calls commands and options that exist", async (document) => {
    expect(strangeCalls(read(document), await allCommands(COMMANDS))).toEqual([]);
  });

  it.each(DOCUMENTS.filter(printsSomething))("%s: prints what is shown", async (document) => {
    const { code = "", output = "" } = printing(read(document)) ?? {};
    const root = document === "packages/execute/README.md" ? cli.root : join(folder, "root");
    const file = join(folder, `${document.replaceAll("/", "-")}.mts`);
    writeFileSync(file, code.replaceAll("/tmp/demo", root));
    const quiet = "--disable-warning=ExperimentalWarning";
    const { stdout } = await run(process.execPath, [quiet, file], { cwd: folder });
    expect(steadyText(stdout).trim()).toBe(steadyText(output.replaceAll("/tmp/demo", root)).trim());
  });
});

const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  },
  include: ["**/*.ts"],
};

/** All packages under their names, as if they were installed. */
function linkPackages(into: string): void {
  const modules = join(into, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  mkdirSync(join(modules, "@uncaged"));
  symlinkSync(join(REPOSITORY, "node_modules/@types/node"), join(modules, "@types/node"));
  symlinkSync(join(REPOSITORY, "packages/cli/node_modules/zod"), join(modules, "zod"));
  for (const manifest of globSync("{packages,templates}/*/package.json", { cwd: REPOSITORY })) {
    const { name }: { name: string } = JSON.parse(read(manifest));
    symlinkSync(join(REPOSITORY, dirname(manifest)), join(modules, name));
  }
}

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}

/** Each block is a module. If its first line is a comment with a path, it is written to that path. */
function writeShown(document: string): void {
  const place = join(folder, document.replaceAll("/", "-"));
  const { before = "", files = {} } = GIVEN[document] ?? {};
  for (const [name, code] of Object.entries(files)) write(join(place, name), code);
  const blocks = [...read(document).matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  for (const [at, [, code = ""]] of blocks.entries()) {
    const [, path = `shown-${at}.ts`] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? [];
    write(join(place, path), `${before}\n${code}`);
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function printsSomething(document: string): boolean {
  return printing(read(document)) !== null && GIVEN[document] === undefined;
}

/** Code that is followed by the word "prints" and its output. */
function printing(markdown: string): { code: string; output: string } | null {
  const shown = /^```ts\n((?:(?!^```)[\s\S])*)^```\n\nprints\n\n```\n([\s\S]*?)^```$/m.exec(
    markdown,
  );
  return shown === null ? null : { code: shown[1] ?? "", output: shown[2] ?? "" };
}
