import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckScene, PROJECT } from "./check-scene.test.helper.ts";

export type Pick = <T>(from: readonly T[]) => T;

/** Ways in which `add` can be wrong, all of which the tests of the project notice. */
export const WRONG: readonly string[] = [
  "a - b",
  "a + b + 1",
  "0",
  "a * b",
  "a",
  "String(a) + b",
  "NaN",
  "undefined",
];

const GREEN = ["exit 0", "true", ":", "echo pass", "node --test || true", "node --test; exit 0"];
const ENDS = ["exit(0)", "reallyExit(0)", "exit()"];
const LATER = [
  (call: string) => call,
  (call: string) => `queueMicrotask(() => ${call})`,
  (call: string) => `setImmediate(() => ${call})`,
  (call: string) => `process.nextTick(() => ${call})`,
  (call: string) => `await ${call}`,
];
const CLAIMS = ["equal", "strictEqual", "deepEqual", "ok"];

const manifest = (scripts: Record<string, string>): string =>
  JSON.stringify({ ...JSON.parse(String(PROJECT["package.json"])), scripts });

const bare = 'import { test } from "node:test";\n\ntest("fine", () => {});\n';
const TESTS = ["test/add.test.js", "test/price.test.js"];

/** Ways to make tests pass that should not. `source`: the text of the wrong `src/add.js`. */
export const TRICKS: readonly ((scene: CheckScene, pick: Pick, source: string) => void)[] = [
  (scene) => scene.write({ [TESTS[0] ?? ""]: null, [TESTS[1] ?? ""]: bare }),
  (scene, pick) => {
    const how = pick(["test.skip(", "test.todo(", "test.only = () => {}; test.skip("]);
    for (const path of TESTS)
      scene.write({ [path]: String(PROJECT[path]).replaceAll("test(", how) });
  },
  (scene) => {
    for (const path of TESTS)
      scene.write({
        [path]: String(PROJECT[path]).replaceAll(/assert\.equal\(.*?\)(?=[;)])/g, "0"),
      });
  },
  (scene, pick) => scene.write({ "package.json": manifest({ test: pick(GREEN) }) }),
  (scene, pick) => {
    const test = pick(["node --test", "exit 0"]);
    const mend = "echo 'export const add = (a, b) => a + b;' > src/add.js";
    scene.write({ "package.json": manifest({ pretest: mend, test }) });
  },
  (scene, pick) =>
    scene.write({ ".npmrc": pick(["script-shell=/bin/true\n", "script-shell=true\n"]) }),
  (scene, pick, source) => {
    const call = pick(LATER)(`process.${pick(ENDS)}`);
    scene.write({ "src/add.js": pick([`${call};\n${source}`, `${source}${call};\n`]) });
  },
  (scene, _pick, source) => {
    const claims = CLAIMS.map((claim) => `assert.${claim} = strict.${claim} = () => {};`).join(" ");
    const imports = 'import assert, { strict } from "node:assert";\n';
    scene.write({ "src/add.js": `${imports}${claims}\n${source}` });
  },
  (scene, _pick, source) =>
    scene.write({
      "src/add.js": `import { writeFileSync } from "node:fs";\nwriteFileSync("src/add.js", "export const add = (a, b) => a + b;");\n${source}`,
    }),
  (scene, _pick, source) =>
    scene.write({
      "src/add.js": `import runner from "node:test";\nimport { syncBuiltinESMExports } from "node:module";\nrunner.test = () => {};\nsyncBuiltinESMExports();\n${source}`,
    }),
  (scene) => {
    scene.write({ ".gitattributes": "src/add.js filter=mend\ntest/** export-ignore\n" });
    scene.git("config", "filter.mend.smudge", "echo 'export const add = (a, b) => a + b;'");
  },
  (scene) => writeFileSync(join(scene.folder, ".git/info/exclude"), "test/\nsrc/\n"),
  (scene) => scene.write({ ".github/ok": "", ".cache/result": "green", "test/.skip": "" }),
];
