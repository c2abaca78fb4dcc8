/** Makes few files of the compiled command line and all that it imports: `dist/cli/main.js` and its chunks,
 *  with the terms of what went in.
 *
 *  Loaded as the compiler wrote it, a command opens up to 300 files and takes 125 ms to start; like this,
 *  each command loads what it uses and nothing else.
 *
 *  1. Native packages stay outside. Programs that the engine starts by path (a runner, the locked child)
 *     stay in their own packages: a module that asks where it lies is told where it was compiled to.
 *  2. Chunks are named by their content; the entry is written last, so that a command that starts while
 *     this runs finds either all of the old or all of the new. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { licenses } from "./licenses.mjs";

const dist = fileURLToPath(new URL("../packages/cli/dist/", import.meta.url));
const out = join(dist, "cli");
const ENTRY = "main.js";

/** Chunks lie in `dist/cli`, two folders below this package, which has its dependencies at hand. */
const PLACE = `
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
export function placeIn(name, path) {
  const manifest = name === null
    ? new URL("../../package.json", import.meta.url)
    : pathToFileURL(createRequire(import.meta.url).resolve(name + "/package.json"));
  return new URL(path, manifest).href;
}
`;

await main();

async function main() {
  const bundle = await rolldown({
    input: join(dist, ENTRY),
    platform: "node",
    tsconfig: false,
    external: ["rolldown", "xxhash-addon"],
    transform: { target: "node22" },
    // Our own modules do nothing when they are loaded, so one that is not used can be left out.
    treeshake: { moduleSideEffects: (id) => !isOurs(id) },
    plugins: [ownPlaces()],
    onLog: (level, log) => {
      throw new Error(`${level}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    comments: false,
    entryFileNames: ENTRY,
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
  const modules = output.flatMap(({ moduleIds }) => moduleIds);
  const files = output.map(({ fileName, code }) => ({ name: fileName, text: code }));
  files.push({
    name: "licenses.txt",
    text: licenses(modules, dirname(dist)),
  });
  write(files);
}

/** Tells each module of our packages that asks for `import.meta.url` where its compiled file lies. */
function ownPlaces() {
  const helper = "\0place";
  return {
    name: "own-places",
    resolveId: (id) => (id === helper ? id : null),
    load: (id) => (id === helper ? PLACE : null),
    transform(code, id) {
      if (!isOurs(id) || !code.includes("import.meta.")) return null;
      if (/import\.meta\.(?!url\b)/.test(code)) throw new Error(`${id} asks for more than its URL`);
      const { name, path } = placeOf(id);
      const from = `import { placeIn as __placeIn } from ${JSON.stringify(helper)};\n`;
      const place = `__placeIn(${JSON.stringify(name)}, ${JSON.stringify(path)})`;
      return { code: from + code.replaceAll("import.meta.url", place) };
    },
  };
}

/** Workspace packages are linked, and named by their real paths. */
function isOurs(id) {
  return isAbsolute(id) && !id.includes(`${sep}node_modules${sep}`);
}

/** The package that a module belongs to (null: this one) and its path in there. */
function placeOf(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = read(join(folder, "package.json"));
    if (manifest === null) continue;
    const { name } = JSON.parse(manifest);
    const path = relative(folder, file).split(sep).join("/");
    return { name: name === "@uncaged/cli-workflow" ? null : name, path };
  }
  throw new Error(`${file} lies in no package`);
}

function write(files) {
  mkdirSync(out, { recursive: true });
  const entryLast = [...files].sort((a, b) => Number(a.name === ENTRY) - Number(b.name === ENTRY));
  for (const { name, text } of entryLast) {
    const file = join(out, name);
    if (read(file) === text) continue;
    writeFileSync(`${file}.tmp`, text);
    renameSync(`${file}.tmp`, file);
  }
  const current = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(out)) if (!current.has(name)) rmSync(join(out, name));
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
