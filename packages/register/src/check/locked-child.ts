/** Process that imports an untrusted bundle and reports its exports. Started by `runLockedChild` under Node's
 *  permission model; imports nothing but Node's own modules and its neighbours.
 *
 *  1. The order is read before the bundle runs, so the bundle cannot read the token that marks genuine reports.
 *  2. Whatever is needed after the import is saved before it: the bundle may change every global, and what all
 *     objects inherit. So reports are assembled and sent as strings.
 *  3. The bundle arrives on standard input and is imported from memory: with no file there is no race over one. */
import fs, { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { installExternalHooks } from "../externals/external-hooks.ts";
import { MAX_DESCRIPTOR_BYTES, REPORT_FD } from "./child-report.ts";
import { lockDown } from "./lockdown.ts";
import { parseChildOrder } from "./parse-child-order.ts";

const { stringify } = JSON;
const { ownKeys } = Reflect;
const { byteLength } = Buffer;
const toText = String;
const slice: (text: string, from: number, to: number) => string = uncurried(String.prototype.slice);
const indexOf: (text: string, part: string) => number = uncurried(String.prototype.indexOf);
// Not the import itself: a bundle may replace that as well.
const { writeSync } = fs;
const exit = process.exit.bind(process);
const nextTurn = setImmediate;

const { order, source } = parseChildOrder(readFileSync(0));
const entryUrl = new URL("entry.js", order.bundleUrl).href;
installExternalHooks(order.hooks);
serveFromMemory(
  new Map<string, string | Buffer>([
    [order.bundleUrl, source],
    // A bundle that exports `then` would take part in its own `await import`; its namespace inside
    // another one's does not.
    [entryUrl, `import * as bundle from ${stringify(order.bundleUrl)};\nexport { bundle };\n`],
  ]),
);
const { token } = order;
lockDown((attempt) => {
  const line = `${token} {"kind":"attempt","attempt":${stringify(attempt)}}\n`;
  let told = false;
  return () => {
    if (told) return;
    told = true;
    writeSync(REPORT_FD, line);
  };
});
process.on("uncaughtException", (thrown: unknown) => fail("later", thrown));

report('{"kind":"loading"}');
try {
  const entry: unknown = await import(entryUrl);
  await settled();
  report(loaded(fieldsOf(fieldsOf(entry).bundle)));
} catch (thrown) {
  fail("import", thrown);
}
// Timers and handles of the bundle would keep the process alive.
exit(0);

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

/** Errors from work that the import started and did not await surface within the next turns of the loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => {
      nextTurn(resolve);
    });
  }
}

type Fields = { readonly [name: string]: unknown };

/** A namespace is an object, whatever the bundle exports; anything else has no fields. */
function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** As JSON; see `ChildReport`. Only texts are made JSON of: objects and lists would ask what they inherit. */
function loaded(bundle: Fields): string {
  const keys = ownKeys(bundle);
  let exports = "";
  for (let at = 0; at < keys.length; at += 1) {
    const name = keys[at];
    if (typeof name !== "string") continue;
    const comma = exports === "" ? "" : ",";
    exports = `${exports}${comma}{"name":${stringify(name)},"type":"${typeof bundle[name]}"}`;
  }
  return `{"kind":"loaded","exports":[${exports}],"descriptor":${descriptorOf(bundle.descriptor)}}`;
}

function descriptorOf(value: unknown): string {
  try {
    const json: string | undefined = stringify(value);
    if (json === undefined) return '{"kind":"not-json"}';
    if (byteLength(json) > MAX_DESCRIPTOR_BYTES) return '{"kind":"too-large"}';
    return `{"kind":"json","value":${json}}`;
  } catch {
    return '{"kind":"not-json"}';
  }
}

function fail(when: "import" | "later", thrown: unknown): never {
  report(`{"kind":"failed","when":"${when}","error":${describe(thrown)}}`);
  exit(1);
  throw thrown;
}

function describe(thrown: unknown): string {
  const fields = fieldsOf(thrown);
  const field = (name: string, of: Fields = fields): string | null => {
    const value = of[name];
    return typeof value === "string" ? slice(value, 0, 8_000) : null;
  };
  const message = field("message") ?? slice(toText(thrown), 0, 2_000);
  const place = placeIn(order.bundleUrl, field("stack") ?? "");
  const carried = fieldsOf(fields.failure);
  const code = field("code", carried);
  const hint = field("hint", carried) ?? "";
  const failure = code === null ? "null" : `{"code":${stringify(code)},"hint":${stringify(hint)}}`;
  return (
    `{"name":${stringify(field("name") ?? "Error")},"message":${stringify(message)},` +
    `"code":${stringify(field("code"))},"permission":${stringify(field("permission"))},` +
    `"resource":${stringify(field("resource"))},"failure":${failure},"at":${stringify(place)}}`
  );
}

/** First position in the bundle that a stack names; for a syntax error the stack begins with it. */
function placeIn(url: string, stack: string): string | null {
  const from = indexOf(stack, url);
  if (from < 0) return null;
  let at = from + url.length;
  if (stack[at] !== ":") return null;
  let place = "";
  let colons = 0;
  for (at += 1; at < stack.length; at += 1) {
    const letter = stack[at] ?? "";
    if (letter === ":" && place !== "" && colons === 0) colons += 1;
    else if (letter < "0" || letter > "9") break;
    place = `${place}${letter}`;
  }
  return place === "" ? null : place[place.length - 1] === ":" ? slice(place, 0, -1) : place;
}

function uncurried<T extends unknown[], R>(
  method: (this: string, ...args: T) => R,
): (text: string, ...args: T) => R {
  return Function.prototype.call.bind(method);
}

/** In a single write: the channel blocks until all of it is written. */
function report(json: string): void {
  writeSync(REPORT_FD, `${token} ${json}\n`);
}
