/** What a guard becomes when the process that it guards is gone: `guard-main.js <mark> …`. */
import { endMarked } from "@uncaged/workflow-util";

await endMarked({ mark: process.argv.slice(2), graceMs: 0 });
