/** Of the gateway itself: clients, tokens, sessions. */
import { z } from "zod";
import { SCOPES, type Scope } from "../shapes.ts";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { none, noPath, text, unixMs } from "./parts.ts";

export const usable: z.ZodType<Exclude<Scope, "engine">> = z.enum([
  "read",
  "run",
  "answer",
  "edit",
]);

const scope = z.enum(SCOPES);

const session = {
  who: text,
  scopes: z.array(scope),
  clients: z.array(text).nullable(),
  expiresAt: unixMs,
};

export const ACCESS: SchemasOf<"listClients" | "access" | "logIn" | "session" | "logOut"> = {
  listClients: {
    ...noPath,
    body: null,
    response: z.object({
      clients: z.array(
        z.object({
          name: text,
          state: z.enum(["connected", "silent", "gone"]),
          since: unixMs,
          version: text.nullable(),
          scopes: z.array(usable),
        }),
      ),
    }),
  },
  access: {
    ...noPath,
    body: null,
    response: z.object({
      tokens: z.array(
        z.object({
          id: text,
          name: text,
          scopes: z.array(scope),
          clients: z.array(text).nullable(),
          createdAt: unixMs,
          expiresAt: unixMs.nullable(),
          lastUsedAt: unixMs.nullable(),
        }),
      ),
      sessions: z.array(
        z.object({ who: text, createdAt: unixMs, lastUsedAt: unixMs, current: z.boolean() }),
      ),
      audit: z.array(
        z.object({
          at: unixMs,
          who: text.nullable(),
          client: text.nullable(),
          method: text,
          path: text,
          status: z.number().int(),
        }),
      ),
    }),
  },
  logIn: {
    ...noPath,
    body: z.union([
      z.strictObject({ code: z.string().max(200) }),
      z.strictObject({ token: z.string().max(200) }),
    ]),
    response: z.object({ ...session, key: text }),
  },
  session: { ...noPath, body: null, response: z.object(session) },
  logOut: { ...noPath, body: none, response: z.object({ ended: z.boolean() }) },
};
