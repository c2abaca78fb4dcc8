/** Loaded before everything else (`node --import`): lends the overlay to our own modules in place of node:fs. */
import { registerHooks } from "node:module";
import { BREAKS, breakOnLoad } from "./break.mjs";

const OVERLAY = new URL("./overlay-fs.mjs", import.meta.url).href;
/** The packages that keep blobs, folders, whole files and history. */
const OURS = /\/packages\/(?:cas|util|store)\/dist\//u;

registerHooks({
  resolve(specifier, context, next) {
    const isFs = specifier === "node:fs" || specifier === "node:fs/promises";
    if (isFs && OURS.test(context.parentURL ?? "")) return { url: OVERLAY, shortCircuit: true };
    return next(specifier, context);
  },
});

const broken = process.env.SIMULATION_BREAK;
if (broken !== undefined) breakOnLoad(BREAKS[broken]);
