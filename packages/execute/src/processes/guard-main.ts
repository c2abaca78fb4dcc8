/** The program that a guard runs once the process it guards is gone: `guard-main.js <tag> …`. */
import { killTagged } from "@uncaged/workflow-util";

await killTagged({ tag: process.argv.slice(2), graceMs: 0 });
