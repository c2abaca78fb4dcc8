/** What a request has to be before anything looks at where it goes. Pages of other sites, and other servers of the same
 *  machine, send requests too; none of these checks needs to know what the request is for. */
import { type Refusal, refusal } from "./refusal.ts";

export type Head = {
  method: string;
  url: string;
  /** Names and values in turn, as they arrived. */
  rawHeaders: readonly string[];
};

/** Where the gateway is, as a browser writes it: `http://127.0.0.1:4747`. */
export type Place = { origin: string };

export type Judged = {
  method: string;
  /** As it arrived, without the query. */
  path: string;
  /** With its question mark; empty: there is none. */
  query: string;
  headers: ReadonlyMap<string, string>;
  kind: "page" | "api" | "hook" | "engine";
};

type Verdict = { ok: true; request: Judged } | { ok: false; refusal: Refusal };

/** Two of these are two meanings. */
const ONCE = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "host",
  "if-match",
  "if-none-match",
  "idempotency-key",
  "last-event-id",
  "origin",
  "sec-fetch-site",
  "transfer-encoding",
  "x-uwf-instance",
  "x-uwf-key",
]);
const SECRET_LIKE =
  /token|secret|passw|bearer|session|credential|auth|api[-_]?key|^(key|code|jwt|sid)$/i;
const JSON_TYPE = /^application\/json(;\s*charset=utf-8)?$/i;
/** Like JSON, nothing that a form of another page could send. */
const OCTETS = /^application\/octet-stream$/i;
const UPLOAD = /^\/api\/c\/[^/]+\/cas$/;
const PATH = /^\/(?!\/)[\w.~!$&'()*+,;=:@%/-]*$/;

export function judgeRequest({ method, url, rawHeaders }: Head, { origin }: Place): Verdict {
  const headers = new Map<string, string>();
  const repeated = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (headers.has(name)) repeated.add(name);
    headers.set(name, rawHeaders[at + 1] ?? "");
  }
  if (repeated.has("host") || headers.get("host") !== hostOf(origin)) return WRONG_HOST;
  const twice = [...repeated].find((name) => ONCE.has(name));
  if (twice !== undefined) return bad(`the header ${twice} is there twice`);
  // Left out on the way, it would hold nothing back.
  if (headers.get("if-match") === "") return bad("If-Match is empty");
  const mark = url.indexOf("?");
  const [path, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark)];
  if (!PATH.test(path) || /%(?![0-9a-f]{2})/i.test(path)) return bad("the address is malformed");
  const secret =
    query === ""
      ? undefined
      : [...new URLSearchParams(query).keys()].find((key) => SECRET_LIKE.test(key));
  if (secret !== undefined) return bad(`the address has a secret in it: ${secret.slice(0, 40)}`);
  const kind = kindOf(path);
  const isRead = method === "GET" || method === "HEAD";
  if (!["GET", "HEAD", "POST", "PUT"].includes(method)) return WRONG_METHOD;
  const from = headers.get("origin");
  if (kind === "hook" || kind === "engine") {
    // Senders and engines are programs: whatever names an origin is a page.
    if (from !== undefined || headers.has("sec-fetch-site")) return FOREIGN;
  } else {
    if (from === undefined ? !isRead : from !== origin) return FOREIGN;
    if (!isFromHere(headers, kind === "page" && isRead)) return FOREIGN;
  }
  if (kind === "page" && !isRead) return WRONG_METHOD;
  // As in `If-None-Match: *`, "only if it is not there yet". No change knows it, and passed over it would hold nothing back.
  if (!isRead && headers.has("if-none-match"))
    return bad("a change takes If-Match or Idempotency-Key, not If-None-Match");
  const type = headers.get("content-type") ?? "";
  if (!isRead && !(UPLOAD.test(path) ? OCTETS : JSON_TYPE).test(type)) return WRONG_TYPE;
  if (headers.has("content-encoding")) return WRONG_TYPE;
  return { ok: true, request: { method, path, query, headers, kind } };
}

function kindOf(path: string): Judged["kind"] {
  if (path === "/engine") return "engine";
  if (path.startsWith("/api/") || path === "/api") return "api";
  return path.startsWith("/hooks/") ? "hook" : "page";
}

/** Programs do not say it; the page and the address line do. A link elsewhere may lead to the page, which shows nothing
 *  without a session. */
function isFromHere(headers: ReadonlyMap<string, string>, mayBeLinked: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === undefined || site === "same-origin") return true;
  if (!mayBeLinked) return false;
  return site === "none" || headers.get("sec-fetch-mode") === "navigate";
}

/** As it stands in `Host`. */
function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, "");
}

const WRONG_HOST = refusal(
  421,
  "REQUEST_REFUSED",
  "this gateway does not answer to that name",
  "use exactly the address that it printed, or start it with --public-origin",
);
const FOREIGN = refusal(
  403,
  "REQUEST_REFUSED",
  "the request does not come from this gateway's own page",
  "a change needs the header Origin with the gateway's own address; webhooks and engines have none",
);
const WRONG_TYPE = refusal(
  415,
  "REQUEST_REFUSED",
  "a change takes JSON and nothing else, and a new blob octets",
  "send Content-Type: application/json, for a blob application/octet-stream; not compressed",
);
const WRONG_METHOD = refusal(405, "REQUEST_REFUSED", "there is no such method here", "");

function bad(message: string): Verdict {
  return refusal(400, "REQUEST_REFUSED", message, "send the request as the documentation says");
}
