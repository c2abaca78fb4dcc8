/** Makes one file of the package and all it needs at run time: `dist/runtime.js`.
 *
 *  A runner loads this package for every thread. As many files (zod, jsonata, re2js) that costs some
 *  80 ms of start-up, as one file about 10. The types stay those of the compiler. */
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const input = fileURLToPath(new URL("../dist/index.js", import.meta.url));
const file = fileURLToPath(new URL("../dist/runtime.js", import.meta.url));

const bundle = await rolldown({
  input,
  platform: "node",
  tsconfig: false,
  transform: { target: "node22" },
  // What is not ours and not a part of Node must be inside: a warning about it is an error.
  onLog: (level, log) => {
    throw new Error(`${level}: ${log.message}`);
  },
});
await bundle.write({
  file,
  format: "esm",
  minify: true,
  comments: false,
  codeSplitting: false,
});
await bundle.close();
