/** Where a gateway keeps its own, and what it serves. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPEN_API, PAGE } from "@uncaged/workflow-gateway";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "../command/io.ts";

export type GatewayFiles = { tokens: string; sessions: string; audit: string };

export function gatewayFiles({ env }: Pick<Io, "env">): GatewayFiles {
  const folder = join(storageRoot(env), "gateway");
  return {
    tokens: join(folder, "tokens.json"),
    sessions: join(folder, "sessions.json"),
    audit: join(folder, "audit.ndjson"),
  };
}

export function served(): { page: string; openApi: string } {
  return { page: fileURLToPath(PAGE), openApi: readFileSync(OPEN_API, "utf8") };
}
