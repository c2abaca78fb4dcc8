/** Builds the dashboard's page into the gateway's package, as it will be served: names with hashes, each text also
 *  compressed, and the terms of the packages that went in. Which of them a browser gets is all that the gateway
 *  decides. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { licenses } from "./licenses.mjs";
import { LIST, PAGE, tidyPage } from "./tidy-page.mjs";

const dashboard = fileURLToPath(new URL("../packages/dashboard", import.meta.url));
// Only that package has it.
const vite = createRequire(`${dashboard}/package.json`).resolve("vite");
const { build } = await import(pathToFileURL(vite).href);

const TEXT = /\.(js|css|html|svg)$/;
// Smaller blocks than by default: measured to be half a KiB less over all texts.
const GZIP = { level: 9, memLevel: 7 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

const { output } = await build({
  configFile: `${dashboard}/vite.config.ts`,
  logLevel: "warn",
  plugins: [{ name: "ready-to-serve", generateBundle: { order: "post", handler: readyToServe } }],
});
const names = output.map(({ fileName }) => fileName).sort();
mkdirSync(dirname(LIST), { recursive: true });
writeFileSync(LIST, `${JSON.stringify(names, null, 2)}\n`);
tidyPage(PAGE, names);

async function readyToServe(_options, bundle) {
  const modules = [...this.getModuleIds()].map((id) => id.replace(/\?.*$/, ""));
  const source = licenses(modules, dashboard);
  this.emitFile({ type: "asset", fileName: "licenses.txt", source });
  const texts = Object.values(bundle).filter(({ fileName }) => TEXT.test(fileName));
  await Promise.all(
    texts.map(async ({ fileName, type, code, source: given }) => {
      const bytes = Buffer.from(type === "chunk" ? code : given);
      const br = await promisify(brotliCompress)(bytes, BROTLI);
      const gz = await promisify(gzip)(bytes, GZIP);
      this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: br });
      this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gz });
    }),
  );
}
