/** Loaded before everything else (`node --import`): lends the git in memory to the modules of `tasks`. */
import { registerHooks } from "node:module";
import { breakOnLoad } from "./break.mjs";
import { QUEUE_BREAKS } from "./queue-breaks.mjs";

const GIT = new URL("./git-in-memory.mjs", import.meta.url).href;
const TASKS = /\/packages\/tasks\/dist\//u;
const REPLACED =
  /^(?:\.{1,2}\/(?:git\/)?(?:branches|merge-trees|rebase-branch)\.js|@uncaged\/workflow-workspace)$/u;

registerHooks({
  resolve(specifier, context, next) {
    if (TASKS.test(context.parentURL ?? "") && REPLACED.test(specifier))
      return { url: GIT, shortCircuit: true };
    return next(specifier, context);
  },
});

const broken = process.env.SIMULATION_BREAK;
if (broken !== undefined) breakOnLoad(QUEUE_BREAKS[broken]);
