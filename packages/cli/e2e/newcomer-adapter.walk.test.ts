/** Somebody else writes an adapter from the documentation alone, publishes it, and another person uses it. They have
 *  only the packages of this repository and that page. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Newcomer, openNewcomer } from "./newcomer.test.helper.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const PAGE = join(REPOSITORY, "docs/writing-an-adapter.md");
/** The agent that the page assumes; authors do not write it. */
const SCRIBE = join(REPOSITORY, "examples/own-adapter/scribe.mjs");

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await openNewcomer();
  await newcomer.succeeds("npm install --global @uncaged/cli-workflow");
}, 300_000);
afterAll(() => newcomer.close());

/** The page shows three whole files in this order: the driver, the agent's output, and the package. */
function writeAdapter(folder: string): void {
  const shown = [...readFileSync(PAGE, "utf8").matchAll(/```ts\n(.*?)```/gs)].map(
    ([, code]) => code,
  );
  const files = shown.filter((code) => code?.includes("import "));
  expect(files).toHaveLength(3);
  mkdirSync(folder);
  for (const [at, name] of ["scribe-driver.ts", "scribe-event.ts", "index.ts"].entries()) {
    writeFileSync(join(folder, name), files[at] ?? "");
  }
  const manifest = {
    name: "workflow-agent-scribe",
    version: "1.0.0",
    type: "module",
    exports: "./dist/index.js",
    files: ["dist"],
    scripts: { build: "tsc" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    strict: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    types: ["node"],
    rootDir: ".",
    outDir: "dist",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
}

const WORKFLOW = `import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";
const counter = defineRole({
  description: "Counts words",
  systemPrompt: "You count words.",
  schema: z.object({ words: z.number() }),
  extractRefs: null,
  requiredEvidence: [{ name: "counted", kind: "execute", input: "^wc -w poem.txt$" }],
});
const definition = defineWorkflow({
  description: "Counts",
  roles: { counter },
  table: { [START]: [{ condition: "FALLBACK", role: "counter" }], counter: [{ condition: "FALLBACK", role: END }] },
});
export const run = createWorkflow(definition, { adapter: namedAgent("scribe"), overrides: null });
export const descriptor = buildDescriptor(definition);
`;

it("an adapter written from its page is packed, added as a tarball, and runs in a bundle", {
  timeout: 400_000,
}, async () => {
  const { folder } = newcomer;
  writeAdapter(join(folder, "scribe"));
  cpSync(SCRIBE, join(folder, "bin", "scribe"), { recursive: true });
  const install =
    "npm install @uncaged/workflow-protocol @uncaged/workflow-util-agent zod && npm install --save-dev typescript @types/node";
  await newcomer.succeeds(`cd scribe && ${install} && npm run build && npm pack`);
  const added = await newcomer.json(
    `chmod +x bin/scribe && uncaged-workflow agent add scribe/workflow-agent-scribe-1.0.0.tgz --option command=${folder}/bin/scribe --json`,
  );
  expect(added).toMatchObject({
    name: "scribe",
    version: "1.0.0",
    probe: { installed: true, version: "1.0.0" },
  });
  // The installed package must not need the author's folder.
  await newcomer.succeeds("rm -r scribe");

  mkdirSync(join(folder, "flow"));
  writeFileSync(join(folder, "flow", "flow.mjs"), WORKFLOW);
  writeFileSync(join(folder, "poem.txt"), "the quick brown fox\n");
  const { file } = await newcomer.json<{ file: string }>(
    "cd flow && npm init --yes --init-type=module >/dev/null && npm install zod >/dev/null && uncaged-workflow workflow build flow.mjs --json",
  );
  await newcomer.succeeds(`uncaged-workflow workflow add counts ${file}`);
  const { threadId, status } = await newcomer.json<{ threadId: string; status: string }>(
    "uncaged-workflow run counts --prompt 'How many words of poem.txt are there?' --wait --json",
  );
  expect(status).toBe("completed");
  const { steps } = await newcomer.json<{ steps: unknown[] }>(
    `uncaged-workflow thread show ${threadId} --json`,
  );
  expect(steps).toMatchObject([
    {
      meta: { words: 4 },
      run: { agent: { name: "scribe", version: "1.0.0" }, evidence: [expect.any(String)] },
    },
  ]);
  expect(await newcomer.json(`uncaged-workflow thread verify ${threadId} --json`)).toMatchObject({
    ok: true,
  });
});
