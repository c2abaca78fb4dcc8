/** The built page: read once by name, so that no address is ever taken for a path. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join } from "node:path";
import type { Judged } from "../gate/judge-request.ts";
import { takenEncodings } from "./encodings.ts";

const TYPES: { readonly [ending: string]: string } = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const ENDINGS = { br: ".br", gzip: ".gz" } as const;

export type PageFiles = {
  /** Any address that names no file is a view of the page. */
  answer(request: Judged, outgoing: ServerResponse): void;
};

/** Files are compressed when the page is built: `x.js.br` and `x.js.gz` beside `x.js`. */
export function pageFiles(folder: string): PageFiles {
  const names = new Set(
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
          .map((name) => name.replaceAll("\\", "/").replace(/^\/?/, "/"))
      : [],
  );
  const kept = new Map<string, Buffer>();
  const bytesOf = (name: string): Buffer => {
    const bytes = kept.get(name) ?? readFileSync(join(folder, name));
    kept.set(name, bytes);
    return bytes;
  };
  return {
    answer({ method, path, headers }, outgoing) {
      const isFile = names.has(path) && !/\.(br|gz)$/.test(path);
      const isView = !/\.\w+$/.test(path.slice(path.lastIndexOf("/")));
      const name = isFile ? path : isView ? "/index.html" : null;
      if (name === null || (!names.has(name) && !isView)) {
        outgoing.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
        outgoing.end("there is nothing here\n");
        return;
      }
      if (!names.has(name)) {
        outgoing.writeHead(200, { "content-type": TYPES[".html"], "cache-control": "no-store" });
        outgoing.end(method === "HEAD" ? undefined : NO_PAGE);
        return;
      }
      const packed = takenEncodings(headers.get("accept-encoding")).find((encoding) =>
        names.has(name + ENDINGS[encoding]),
      );
      const bytes = bytesOf(name + (packed === undefined ? "" : ENDINGS[packed]));
      outgoing.writeHead(200, {
        "content-type": TYPES[extname(name)] ?? "application/octet-stream",
        "content-length": bytes.length,
        // Names of what is in there are hashes of it.
        "cache-control": name.startsWith("/assets/")
          ? "public, max-age=31536000, immutable"
          : "no-cache",
        vary: "accept-encoding",
        ...(packed === undefined ? {} : { "content-encoding": packed }),
      });
      outgoing.end(method === "HEAD" ? undefined : bytes);
    },
  };
}

const NO_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>uncaged workflow</title>
<h1>The gateway is up</h1><p>This build has no page; the API is at <code>/api/</code>.</p></html>
`;
