/** Turns the outcome of a locked run into the bundle's exports, or a failure that a person can act on. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { unresolved } from "../externals/resolve-externals.ts";
import { type ChildReport, MAX_DESCRIPTOR_BYTES, type ReportedError } from "./child-report.ts";
import type { LockedLimits, LockedOutcome } from "./run-locked-child.ts";
import { type BuiltSources, sourcePlace } from "./source-place.ts";

export type Judged = {
  /** The bundle's name in messages: its path. */
  place: string;
  /** Storage root, for hints. */
  root: string;
  limits: LockedLimits;
  /** For a bundle that has just been built; null: only positions in the bundle are known. */
  sources: BuiltSources | null;
};

/** Returns the module's own descriptor, not yet checked. */
export function judgeRun(outcome: LockedOutcome, bundle: Judged): Result<unknown, Failure> {
  switch (outcome.kind) {
    case "loaded":
      return judgeExports(outcome, bundle);
    case "failed":
      return err(failedImport(outcome, bundle));
    case "attempt":
      return err(invalid(bundle, `${outcome.attempt} when it is imported`));
    case "too-large":
      return err(invalid(bundle, tooLarge(bundle.limits.processMebibytes)));
    case "timeout":
      return err(tooSlow(bundle));
    case "flooded":
      return err(invalid(bundle, `floods ${outcome.stream} when it is imported`));
    case "forged":
      return err(invalid(bundle, "writes to the channel of its checker when it is imported"));
    case "ended":
      return err(invalid(bundle, endedEarly(outcome, bundle.limits)));
  }
}

const REQUIRED = new Map([
  ["run", "function"],
  ["descriptor", "object"],
]);

function judgeExports(
  { exports, descriptor }: ChildReport & { kind: "loaded" },
  bundle: Judged,
): Result<unknown, Failure> {
  const problems: string[] = [];
  for (const [name, type] of REQUIRED) {
    const found = exports.find((item) => item.name === name);
    if (found === undefined) problems.push(`does not export ${name}`);
    else if (found.type !== type)
      problems.push(`exports ${name} as a ${found.type}, not as a ${type}`);
  }
  const extra = exports
    .filter(({ name }) => !REQUIRED.has(name))
    .map(({ name }) => (name === "default" ? "a default export" : name));
  if (extra.length > 0) problems.push(`exports more than that: ${extra.slice(0, 10).join(", ")}`);
  if (problems.length > 0) return err(wrongExports(bundle, problems));
  if (descriptor.kind === "json") return ok(descriptor.value);
  const problem =
    descriptor.kind === "not-json"
      ? "exports a descriptor that is not plain data"
      : `exports a descriptor of more than ${MAX_DESCRIPTOR_BYTES / 1024 / 1024} MiB`;
  return err(invalid(bundle, problem));
}

function wrongExports({ place }: Judged, problems: readonly string[]): Failure {
  return failure(
    "BUNDLE_EXPORTS",
    `${place} ${problems.join("; ")}`,
    "export exactly two names: `run`, made by createWorkflow, and `descriptor`, made by buildDescriptor",
  );
}

function failedImport({ when, error }: ChildReport & { kind: "failed" }, bundle: Judged): Failure {
  const missing = missingPackage(error);
  if (missing !== null) return unresolved([missing], bundle.root);
  const denied = deniedDeed(error);
  if (denied !== null) return invalid(bundle, `${denied} when it is imported`);
  const source =
    error.at === null || bundle.sources === null ? null : sourcePlace(error.at, bundle.sources);
  const inner = definitionFault(error, source ?? bundle.place);
  if (inner !== null) return inner;
  const at = error.at === null ? "" : ` (${source ?? `line ${error.at}`})`;
  const what = `${error.name}: ${error.message}${at}`;
  // V8 reports no position for text it cannot parse; an error thrown by running code has one.
  if (error.name === "SyntaxError" && error.at === null) {
    return invalid(bundle, `is not JavaScript that Node understands: ${what}`);
  }
  return invalid(
    bundle,
    `${when === "import" ? "throws" : "leaves an error that nobody catches"} when it is imported: ${what}`,
  );
}

/** What an author has to fix in the definition itself; its own hint says how. The bundle can forge such an error, so
 *  no other code is believed. */
function definitionFault(
  { message, failure: carried }: ReportedError,
  where: string,
): Failure | null {
  const code = DEFINITION_FAULTS.find((each) => each === carried?.code);
  if (code === undefined) return null;
  return failure(code, `${where}: ${message}`, carried?.hint || DEFINITION_HINT);
}

const DEFINITION_FAULTS = ["RULE_INVALID", "DEFINITION_INVALID", "CONFIG_INVALID"] as const;
const DEFINITION_HINT = "correct the definition there and build again; nothing was changed";

/** The external package that an import could not find. */
function missingPackage(error: ReportedError): string | null {
  if (error.code !== "ERR_MODULE_NOT_FOUND" && error.code !== "MODULE_NOT_FOUND") return null;
  return /'(@uncaged\/[^/']+)/.exec(error.message)?.[1] ?? null;
}

/** What Node's permission model stopped. */
function deniedDeed(error: ReportedError): string | null {
  if (error.code !== "ERR_ACCESS_DENIED") return null;
  const deed = DEEDS.get(error.permission ?? "") ?? "does what a bundle may not do";
  return error.resource === null || error.resource === "" ? deed : `${deed} (${error.resource})`;
}

const DEEDS: ReadonlyMap<string, string> = new Map([
  ["FileSystemRead", "reads a file"],
  ["FileSystemWrite", "writes a file"],
  ["ChildProcess", "starts a program"],
  ["WorkerThreads", "starts a worker thread"],
  ["WASI", "starts a WASI program"],
  ["Inspector", "opens the inspector"],
  ["Net", "opens a socket"],
]);

function tooSlow({ place, limits }: Judged): Failure {
  return failure(
    "BUNDLE_TIMEOUT",
    `${place} was not imported after ${limits.importMs / 1000} s`,
    "a bundle only defines things when it is imported; do work and wait for things inside a role",
  );
}

function endedEarly(outcome: LockedOutcome & { kind: "ended" }, limits: LockedLimits): string {
  if (/heap out of memory|invalid array length Allocation failed/i.test(outcome.stderr)) {
    return tooLarge(limits.heapMebibytes);
  }
  // Node's exit code for a module whose top-level await can never settle.
  if (outcome.exitCode === 13)
    return "never finishes its import: a top-level await waits for nothing";
  const how = outcome.signal ?? `exit code ${outcome.exitCode ?? "unknown"}`;
  return `ends the process when it is imported (${how})`;
}

function tooLarge(mebibytes: number): string {
  return `needs more than ${mebibytes} MiB of memory when it is imported`;
}

function invalid({ place }: Judged, problem: string): Failure {
  return failure("BUNDLE_INVALID", `${place} ${problem}`, HINT);
}

const HINT =
  "a bundle is one module that only defines things when it is imported; build it with: uncaged-workflow workflow build <entry>";
