/** Loaded before everything else (`node --import`): the client of a shared root gets a server and a time of ours. */
import { registerHooks } from "node:module";
import { breakOnLoad } from "./break.mjs";
import { SHARED_BREAKS } from "./shared-breaks.mjs";

const SERVER = new URL("./fake-postgres.mjs", import.meta.url).href;
const TIME = new URL("./virtual-time.mjs", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isClient = /\/packages\/store-postgres\/dist\//u.test(context.parentURL ?? "");
    if (isClient && specifier === "pg") return { url: SERVER, shortCircuit: true };
    if (isClient && specifier === "node:timers/promises") return { url: TIME, shortCircuit: true };
    return next(specifier, context);
  },
});

const broken = process.env.SIMULATION_BREAK;
if (broken !== undefined) breakOnLoad(SHARED_BREAKS[broken]);
