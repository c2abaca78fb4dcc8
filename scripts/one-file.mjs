/** Makes one file of a package and all it needs at run time: `node ../../scripts/one-file.mjs <entry> <file>`, in
 *  the package's folder. Beside it, `dist/licenses.txt` keeps the terms of what went in.
 *
 *  For packages that are loaded at every start and would otherwise bring many files or large CommonJS
 *  modules with them. The types stay those of the compiler. */
import { writeFileSync } from "node:fs";
import { rolldown } from "rolldown";
import { licenses } from "./licenses.mjs";

async function main(entry, file) {
  const bundle = await rolldown({
    input: entry,
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
  writeFileSync("dist/licenses.txt", licenses(output[0].moduleIds, process.cwd()));
}

await main(process.argv[2], process.argv[3]);
