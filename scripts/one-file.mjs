/** Makes one file of a package and all it needs at run time: `node ../../scripts/one-file.mjs <file>`, in the
 *  package's folder, from `dist/index.js`. Beside it, `dist/licenses.txt` keeps the terms of what went in.
 *
 *  For packages that are loaded at every start and would otherwise bring many files or large CommonJS
 *  modules with them. The types stay those of the compiler. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

async function main(file) {
  const bundle = await rolldown({
    input: "dist/index.js",
    platform: "node",
    tsconfig: false,
    transform: { target: "node22" },
    // What is neither ours nor a part of Node must be inside: a warning about it is an error.
    onLog: (level, log) => {
      throw new Error(`${level}: ${log.message}`);
    },
  });
  const { output } = await bundle.write({
    file,
    format: "esm",
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await bundle.close();
  writeFileSync("dist/licenses.txt", licenses(output[0].moduleIds));
}

/** The terms of every package that went in, once each, in the order of their names. */
function licenses(moduleIds) {
  const folders = new Set(moduleIds.filter(existsSync).map(packageFolder));
  folders.delete(process.cwd());
  const texts = [...folders].map(licenseOf).filter((text) => text !== null);
  return [...new Set(texts)].sort().join("\n");
}

function licenseOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (name.startsWith("@uncaged/")) return bundledLicenses(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} ${version} has no license file`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

/** A package of this repository that is itself one file brings the terms of what is in it. */
function bundledLicenses(folder) {
  const file = join(folder, "dist", "licenses.txt");
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function packageFolder(file) {
  let folder = dirname(file);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** Some packages put a nameless package.json beside their code, to say which kind of modules it is. */
function isPackage(folder) {
  const file = join(folder, "package.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version !== undefined;
}

await main(process.argv[2]);
