/** Packs every public package as `npm publish` would and checks the tarballs: publint for the
 *  manifest, attw for what TypeScript resolves from it, and no test files inside. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { captured } from "../dev/captured.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The packages are ESM for Node: what a CommonJS or a pre-exports resolver sees is no promise. */
const RESOLUTIONS = ["node16-esm", "bundler"];

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "uwf-packed-"));
  try {
    const args = ["-r", "--filter", "./packages/*", "--filter", "./templates/*"];
    args.push("pack", "--pack-destination", folder);
    const packed = await captured({ command: "pnpm", args, cwd: root });
    if (!packed.ok) throw new Error(packed.output);
    const files = readdirSync(folder).sort();
    if (files.length === 0) throw new Error("nothing was packed");
    let problems = 0;
    for (const file of files) {
      for (const problem of await tarballProblems(join(folder, file))) {
        console.log(`${file}: ${problem}`);
        problems += 1;
      }
    }
    return problems === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tarballProblems(file) {
  const bytes = readFileSync(file);
  const tarball = new Uint8Array(bytes);
  const contents = createPackageFromTarballData(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  // Packed with the rest, published never.
  if (pkg.private === true) return [];
  return [
    ...messages.map((message) => formatMessage(message, pkg, { color: false })),
    ...(await typeProblems(contents)),
    ...contents
      .listFiles()
      .filter((path) => /\.test\.|\/golden\/|\/e2e\/|tsbuildinfo/.test(path))
      .map((path) => `${path} has no place in a published package`),
  ];
}

/** A package without a library entry (the command line) has no types to get wrong. */
async function typeProblems(contents) {
  const analysis = await checkPackage(contents);
  if (analysis.types === false) return [];
  return analysis.problems
    .filter((problem) =>
      RESOLUTIONS.some((kind) => problemAffectsResolutionKind(problem, kind, analysis)),
    )
    .map((problem) => `types: ${JSON.stringify(problem)}`);
}

process.exitCode = await main();
