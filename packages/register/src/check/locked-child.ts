/** Process that imports a bundle nobody trusts yet, and tells what it exports. Started by `runLockedChild` under
 *  Node's permission model; imports nothing but Node's own modules and its neighbours.
 *
 *  1. The order is read before the bundle runs, so the bundle cannot read the token that marks true reports.
 *  2. What is needed after the import is taken hold of before it: the bundle may change every global.
 *  3. The bundle comes by standard input and is imported from memory: no file, so no race over one. */
import { readFileSync, writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { installExternalHooks } from "../externals/external-hooks.ts";
import {
  type ChildOrder,
  type ChildReport,
  frame,
  MAX_DESCRIPTOR_BYTES,
  REPORT_FD,
  type ReportedError,
} from "./child-report.ts";
import { lockDown } from "./lockdown.ts";

const { stringify } = JSON;
const { ownKeys } = Reflect;
const { byteLength } = Buffer;
const exit = process.exit.bind(process);
const nextTurn = setImmediate;

const { order, source } = readOrder();
const entryUrl = new URL("entry.js", order.bundleUrl).href;
installExternalHooks(order.hooks);
serveFromMemory(
  new Map<string, string | Buffer>([
    [order.bundleUrl, source],
    // A bundle that exports `then` would take part in its own `await import`; its namespace inside
    // another's does not.
    [entryUrl, `import * as bundle from ${stringify(order.bundleUrl)};\nexport { bundle };\n`],
  ]),
);
const attempts: readonly string[] = lockDown();
process.on("uncaughtException", (thrown: unknown) => fail("later", thrown));

report({ kind: "loading" });
try {
  const entry: { bundle: { [name: string]: unknown } } = await import(entryUrl);
  await settled();
  report(loaded(entry.bundle));
} catch (thrown) {
  fail("import", thrown);
}
// Timers and handles of the bundle would keep the process.
exit(0);

function readOrder(): { order: ChildOrder; source: Buffer } {
  const input = readFileSync(0);
  const end = input.indexOf(0x0a);
  const order: ChildOrder = JSON.parse(input.subarray(0, end).toString("utf8"));
  return { order, source: input.subarray(end + 1) };
}

function serveFromMemory(modules: ReadonlyMap<string, string | Buffer>): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!modules.has(specifier)) return nextResolve(specifier, context);
      return { url: specifier, format: "module", shortCircuit: true };
    },
    load(url, context, nextLoad) {
      const source = modules.get(url);
      return source === undefined
        ? nextLoad(url, context)
        : { format: "module", source, shortCircuit: true };
    },
  });
}

/** Errors of what the import started and did not wait for come up within the next turns of the loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => {
      nextTurn(resolve);
    });
  }
}

function loaded(bundle: { [name: string]: unknown }): ChildReport {
  const names = ownKeys(bundle).filter((key) => typeof key === "string");
  const exports = names.map((name) => ({ name, type: typeof bundle[name] }));
  return { kind: "loaded", exports, descriptor: descriptorOf(bundle.descriptor), attempts };
}

function descriptorOf(value: unknown): (ChildReport & { kind: "loaded" })["descriptor"] {
  try {
    const json: string | undefined = stringify(value);
    if (json === undefined) return { kind: "not-json" };
    if (byteLength(json) > MAX_DESCRIPTOR_BYTES) return { kind: "too-large" };
    return { kind: "json", value: JSON.parse(json) };
  } catch {
    return { kind: "not-json" };
  }
}

function fail(when: "import" | "later", thrown: unknown): never {
  report({ kind: "failed", when, error: describe(thrown), attempts });
  exit(1);
  throw thrown;
}

function describe(thrown: unknown): ReportedError {
  const fields: { [name: string]: unknown } = Object(thrown);
  const field = (name: string, of: { [name: string]: unknown } = fields): string | null => {
    const value = of[name];
    return typeof value === "string" ? value.slice(0, 8_000) : null;
  };
  const carried: { [name: string]: unknown } = Object(fields.failure);
  const code = field("code", carried);
  return {
    name: field("name") ?? "Error",
    message: field("message") ?? String(thrown).slice(0, 2_000),
    code: field("code"),
    permission: field("permission"),
    resource: field("resource"),
    failure: code === null ? null : { code, hint: field("hint", carried) ?? "" },
    at: placeIn(order.bundleUrl, field("stack") ?? ""),
  };
}

/** First place in the bundle that a stack names; for a syntax error the stack begins with it. */
function placeIn(url: string, stack: string): string | null {
  const from = stack.indexOf(url);
  const place = /^:(\d+(?::\d+)?)/.exec(from < 0 ? "" : stack.slice(from + url.length));
  return place?.[1] ?? null;
}

function report(message: ChildReport): void {
  const bytes = Buffer.from(frame(order.token, stringify(message)));
  for (let at = 0; at < bytes.length; ) at += writeSync(REPORT_FD, bytes, at);
}
