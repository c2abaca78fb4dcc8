/** `node --import <this file>`: installs the hooks for the bases given in an environment variable. What is loaded after
 *  this file is compiled once, like the command's own files; without that, a runner starts 50 ms later.
 *
 *  The variable is removed at once: agents that a bundle starts inherit the environment and need not know. Worker
 *  threads run this file again and find the targets in their environment data. A program that a bundle forks
 *  inherits the flag but not the data; there this file does nothing. */
import { enableCompileCache } from "node:module";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";
import { type HookTargets, installExternalHooks } from "./external-hooks.ts";
import { EXTERNAL_HOOKS_ENV, parseHookTargets } from "./hooks-environment.ts";

enableCompileCache();
const text = isMainThread
  ? process.env[EXTERNAL_HOOKS_ENV]
  : getEnvironmentData(EXTERNAL_HOOKS_ENV);
delete process.env[EXTERNAL_HOOKS_ENV];
const targets: HookTargets | null = typeof text === "string" ? parseHookTargets(text) : null;
if (targets !== null) {
  setEnvironmentData(EXTERNAL_HOOKS_ENV, text);
  installExternalHooks(targets);
}
