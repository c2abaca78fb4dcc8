import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import {
  count,
  fault,
  hash,
  json,
  jsonObject,
  noPath,
  positive,
  stepGroup,
  text,
  word,
  yaml,
} from "./parts.ts";

const dryRunOf = {
  prompt: text.exactOptional(),
  stubs: jsonObject,
  maxSteps: positive.max(10_000).exactOptional(),
};

export const DRY_RUN: SchemasOf<"dryRun"> = {
  dryRun: {
    ...noPath,
    body: z.union([
      z.strictObject({ ...dryRunOf, yaml }),
      z.strictObject({ ...dryRunOf, workflow: word }),
    ]),
    response: z.object({
      workflow: text,
      hash,
      ok: z.boolean(),
      route: z.array(
        z.object({
          round: positive.nullable(),
          from: text,
          to: text,
          rule: count.nullable(),
          condition: text,
          prompt: text.nullable(),
          stub: z
            .union([
              z.object({ place: text, meta: jsonObject }),
              z.object({ place: text, outcome: fault }),
            ])
            .nullable(),
          group: stepGroup.exactOptional(),
        }),
      ),
      end: z.object({
        kind: z.enum(["ended", "suspended", "failed", "out_of_stubs", "stub_invalid", "max_steps"]),
        role: text,
        message: text,
      }),
      faults: z.array(z.object({ place: text, message: text })),
      unused: z.array(text),
      result: json.exactOptional(),
    }),
  },
};
