/** Makes few files of the compiled command line and all that it imports: `dist/cli/main.js` and its chunks,
 *  with the terms of what went in.
 *
 *  Loaded as the compiler wrote it, a command opens up to 300 files and takes 125 ms to start; like this,
 *  each command loads what it uses and nothing else.
 *
 *  1. Native packages stay outside, and so do the files that our packages read: a module that asks where it lies is
 *     told where it was compiled to.
 *  2. A program that the engine starts by path (`…-main.js`: a runner, the keeper of its leases, a guard) is one file
 *     beside the command. Packages that run as they were compiled start programs as they were compiled.
 *  3. Chunks are named by their content; what starts is written last, so that a command that starts while this runs
 *     finds either all of the old or all of the new. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { licenses } from "./licenses.mjs";

const dist = fileURLToPath(new URL("../packages/cli/dist/", import.meta.url));
const out = join(dist, "cli");
const ENTRY = "main.js";
const PROGRAM_URL = /new URL\("([^"]+-main\.js)", import\.meta\.url\)/g;

const ZOD = /\/node_modules\/zod\//;
const BUILTIN = /^import(?: (?:\* as )?([\w$]+),?)?(?: (\{[^}]*\}))?(?: from)? "(node:[\w/]+)";$/gm;

/** Large ones, each by itself: a command that needs none of them does not read them. They import nothing of ours. */
const LIBRARIES = [
  { name: "moderator", test: /\/packages\/moderator\/dist\// },
  { name: "yaml", test: /\/node_modules\/yaml\// },
  { name: "zod", test: ZOD },
].map((group) => ({ ...group, priority: 2 }));

/** How many commands share what is in one chunk for all of them: to open a file takes longer than to load ten times its
 *  code. All that a shared module imports is shared at least as often, so chunks form no circle. */
const SHARED = 22;

/** Chunks lie in `dist/cli`, two folders below this package, which has its dependencies at hand. */
const PLACE_ID = "\0place";
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
  /** Where each was compiled to, by the name of its file here. Bundling finds them. */
  const programs = new Map();
  const groups = groupsOf(await neededTogether(join(dist, ENTRY)));
  const output = await bundled(join(dist, ENTRY), programs, {
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups },
  });
  for (const [entryFileNames, file] of programs)
    output.push(...(await bundled(file, programs, { entryFileNames, codeSplitting: false })));
  const modules = output.flatMap(({ moduleIds }) => moduleIds);
  const files = output.map(({ fileName, code }) => ({ name: fileName, text: code }));
  files.push({
    name: "licenses.txt",
    text: licenses(modules, dirname(dist)),
  });
  write(files, new Set([...programs.keys(), ENTRY]));
}

/** What is in one chunk. `needed`: of each entry, the modules.
 *
 *  1. What is loaded before it is known which command is called: help and a wrong word load nothing else. Not in the chunk
 *     of the entry itself, which is not done when the command's chunks, which need it, are loaded.
 *  2. What commands share that need no zod: to load it takes a fifth of the time of such a command. */
function groupsOf(needed) {
  const core = new Set([...(needed.get(ENTRY) ?? []), PLACE_ID]);
  const plain = [...needed.values()].filter((modules) => !modules.some((id) => ZOD.test(id)));
  const needsNoZod = new Set(plain.flat());
  return [
    { name: "core", test: (id) => core.has(id) && !id.endsWith(`/${ENTRY}`), priority: 3 },
    ...LIBRARIES,
    { name: "plain", test: (id) => needsNoZod.has(id), minShareCount: SHARED, priority: 1 },
    { name: "shared", minShareCount: SHARED },
  ];
}

/** Of each entry, the command line and what it loads on demand, the modules that it needs at once. */
async function neededTogether(input) {
  const output = await bundled(input, new Map(), { minify: false });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const entries = output.filter(({ isEntry, isDynamicEntry }) => isEntry || isDynamicEntry);
  return new Map(
    entries.map(({ fileName }) => {
      const reached = new Set([fileName]);
      for (const name of reached)
        for (const imported of chunks.get(name)?.imports ?? []) reached.add(imported);
      return [fileName, [...reached].flatMap((name) => chunks.get(name)?.moduleIds ?? [])];
    }),
  );
}

async function bundled(input, programs, files) {
  const bundle = await rolldown({
    input,
    platform: "node",
    tsconfig: false,
    external: ["rolldown", "xxhash-addon"],
    transform: { target: "node22" },
    // Our own modules do nothing when they are loaded, so one that is not used can be left out.
    treeshake: { moduleSideEffects: (id) => !isOurs(id) },
    plugins: [ownPlaces(programs), plainBuiltins()],
    onLog: (level, log) => {
      throw new Error(`${level}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    comments: false,
    entryFileNames: ENTRY,
    ...files,
  });
  await bundle.close();
  return output;
}

/** Tells each module of our packages that asks for `import.meta.url` where its compiled file lies; one that asks for a
 *  program, where that lies beside the chunk. */
function ownPlaces(programs) {
  return {
    name: "own-places",
    resolveId: (id) => (id === PLACE_ID ? id : null),
    load: (id) => (id === PLACE_ID ? PLACE : null),
    transform(code, id) {
      if (!isOurs(id) || !code.includes("import.meta.")) return null;
      if (/import\.meta\.(?!url\b)/.test(code)) throw new Error(`${id} asks for more than its URL`);
      const { name, path } = placeOf(id);
      const from = `import { placeIn as __placeIn } from ${JSON.stringify(PLACE_ID)};\n`;
      const place = `__placeIn(${JSON.stringify(name)}, ${JSON.stringify(path)})`;
      const pieces = code.split(PROGRAM_URL).map((piece, at) => {
        if (at % 2 === 0) return piece.replaceAll("import.meta.url", place);
        programs.set(basename(piece), resolve(dirname(id), piece));
        return `new URL(${JSON.stringify(basename(piece))}, import.meta.url)`;
      });
      return { code: from + pieces.join("") };
    },
  };
}

/** Takes from Node's own modules what a chunk names. An `import` of one reads all that it exports, and so loads streams
 *  for the sake of `fs.ReadStream` and all of the web's cryptography for a hash. */
function plainBuiltins() {
  return {
    name: "plain-builtins",
    renderChunk(code) {
      const plain = code.replace(BUILTIN, (_, own, names, module) => {
        const taken = `globalThis.process.getBuiltinModule("${module}")`;
        const named = names?.replace(/([\w$]+) as /g, "$1: ");
        return [own && `const ${own} = ${taken};`, named && `const ${named} = ${taken};`]
          .filter(Boolean)
          .join("\n");
      });
      if (/\bfrom\s*"node:/.test(plain)) throw new Error("an import of Node's own is left");
      return { code: plain };
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

function write(files, entries) {
  mkdirSync(out, { recursive: true });
  const isEntry = ({ name }) => Number(entries.has(name));
  for (const { name, text } of files.toSorted((a, b) => isEntry(a) - isEntry(b))) {
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
