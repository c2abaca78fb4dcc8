#!/usr/bin/env node
// The command's first lines, in syntax that any Node with modules reads: an old Node shall hear
// what it lacks, not a syntax error. Nothing else is loaded before that is known.
import fs from "node:fs";
import module from "node:module";

// On SIGUSR1 Node would open its inspector to whoever connects: an agent could take over the command that runs it.
process.on("SIGUSR1", () => {});

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const fits = major >= 26 || (major === 24 && minor >= 11) || (major === 22 && minor >= 18);
const [, , only, ...rest] = process.argv;

if (!fits) {
  const needed = "^22.18 || ^24.11 || >=26";
  process.stderr.write(
    `uncaged-workflow needs Node ${needed}; this is Node ${process.versions.node} (${process.execPath}).\n` +
      "Install a newer one from https://nodejs.org, or put it first on PATH.\n",
  );
  process.exitCode = 2;
} else if ((only === "--version" || only === "-V") && rest.length === 0) {
  const manifest = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${manifest.version}\n`);
} else {
  // What was compiled once is not compiled again: about a third of the time to start.
  module.enableCompileCache();
  // A checkout that was compiled and not bundled runs too, only slower.
  const bundled = new URL("../dist/cli/main.js", import.meta.url);
  try {
    await import(fs.existsSync(bundled) ? bundled.href : "../dist/main.js");
  } catch (cause) {
    // What main.js does it reports itself; until it runs there is nobody else to say that a file could not be read.
    const { code, hint } = systemFault(cause);
    const message = `a system call failed: ${cause.message}`;
    process.stderr.write(
      process.argv.includes("--json")
        ? `${JSON.stringify({ error: { code, message, hint } })}\n`
        : `error: ${message} [${code}]\nhint: ${hint}\n`,
    );
    process.exitCode = 5;
  }
}

/** The same as `system-fault.ts`, which could not be loaded. Throws on what is a defect of ours. */
function systemFault(cause) {
  const code = "STORAGE_FAILED";
  if (/too many open files|file table overflow/i.test(cause.message))
    return { code, hint: "raise the limit of open files (ulimit -n), then try again" };
  if (/\bi\/o error\b/i.test(cause.message))
    return { code, hint: "check the disk and its file system, then try again" };
  throw cause;
}
