import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { hash, noPath, text } from "./parts.ts";

export const BLOBS: SchemasOf<"blob" | "putBlob"> = {
  blob: {
    path: z.strictObject({ hash }),
    query: z.strictObject({ payload: z.literal("1").exactOptional() }),
    body: null,
    response: text,
  },
  putBlob: { ...noPath, body: text, response: z.object({ hash }) },
};
