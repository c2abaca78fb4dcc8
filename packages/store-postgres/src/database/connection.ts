import type pg from "pg";

/** Modes that `pg` takes as strictly as `verify-full`, and warns about each time: later it may not. */
const STRICT = new Set(["prefer", "require", "verify-ca"]);

/** How to reach the server of a URL. A certificate is checked, and the name in it, whatever `sslmode` is given, unless it is `disable`
 *  or `no-verify`. */
export function connectionTo(url: string): Pick<pg.ClientConfig, "connectionString"> {
  const parsed = new URL(url);
  const { searchParams } = parsed;
  if (!STRICT.has(searchParams.get("sslmode") ?? "") || searchParams.has("uselibpqcompat"))
    return { connectionString: url };
  searchParams.set("sslmode", "verify-full");
  return { connectionString: parsed.href };
}
