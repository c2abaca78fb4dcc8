import type { Database } from "./database.ts";
import { numberIn, textIn } from "./fields.ts";

export type ServerFacts = {
  /** `18.4`. */
  version: string;
  /** Major version; statements are written for `LEAST_MAJOR` and later. */
  major: number;
  /** How far the server's clock is ahead of this machine's, as far as the answer tells; milliseconds. */
  aheadMs: number;
};

export const LEAST_MAJOR = 16;

/** Throws `STORAGE_FAILED`. */
export async function serverFacts(database: Database): Promise<ServerFacts> {
  const beforeMs = Date.now();
  const { rows } = await database.query("ask the server for its version", { text: FACTS });
  const betweenMs = (beforeMs + Date.now()) / 2;
  const [row] = rows;
  return {
    version: textIn(row, "version").split(" ", 1)[0] ?? "",
    major: Math.floor(numberIn(row, "number") / 10_000),
    aheadMs: Math.round(numberIn(row, "nowMs") - betweenMs),
  };
}

const FACTS = `
SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::bigint AS number,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs"`;
