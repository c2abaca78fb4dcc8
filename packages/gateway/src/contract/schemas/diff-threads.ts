import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { hash, json, none, positive, stepGroup, text, usage, word } from "./parts.ts";

const diffSide = z.object({
  role: text,
  group: stepGroup.exactOptional(),
  meta: json,
  stateHash: hash,
  condition: text.nullable(),
});

const diffed = z.object({ threadId: text, status: text, usage: usage.nullable() });

const diff = z
  .object({
    a: diffed,
    b: diffed,
    partsAt: positive.nullable(),
    rounds: z.array(
      z.object({
        round: positive,
        relation: z.enum(["shared", "equal", "differs"]),
        a: diffSide.nullable(),
        b: diffSide.nullable(),
        changes: z.array(
          z.object({ path: text, a: json.exactOptional(), b: json.exactOptional() }),
        ),
      }),
    ),
  })
  .meta({ id: "ThreadDiff" });

export const DIFF_THREADS: SchemasOf<"diffThreads"> = {
  diffThreads: {
    path: z.strictObject({ a: word, b: word }),
    query: none,
    body: null,
    response: diff,
  },
};
