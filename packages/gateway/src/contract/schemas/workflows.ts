import { WORKFLOW_NAME_PATTERN } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { descriptor } from "./descriptor.ts";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { count, hash, none, noPath, positive, text, unixMs, word, yaml } from "./parts.ts";

export const WORKFLOWS: SchemasOf<
  "listWorkflows" | "showWorkflow" | "workflowText" | "publishWorkflow" | "checkWorkflow" | "teach"
> = {
  listWorkflows: {
    ...noPath,
    body: null,
    response: z.object({
      workflows: z.array(z.object({ name: text, hash, timestamp: unixMs })),
    }),
  },
  showWorkflow: {
    path: z.strictObject({ name: word }),
    query: z.strictObject({ version: hash.exactOptional() }),
    body: null,
    response: z.object({
      name: text,
      hash,
      timestamp: unixMs,
      descriptor,
      history: z.array(z.object({ hash, timestamp: unixMs })),
      sha256: text,
      externals: z.array(text),
      players: z.record(
        text,
        z.object({ agent: text.nullable(), by: z.enum(["bindings", "workflow", "default"]) }),
      ),
    }),
  },
  workflowText: {
    path: z.strictObject({ name: word }),
    query: z.strictObject({ version: hash.exactOptional() }),
    body: null,
    response: z.object({ name: text, hash, yaml: text.nullable() }),
  },
  publishWorkflow: {
    path: z.strictObject({ name: z.string().regex(WORKFLOW_NAME_PATTERN) }),
    query: none,
    body: z.strictObject({ yaml }),
    response: z.object({
      name: text,
      hash,
      sha256: text,
      previous: text.nullable(),
    }),
  },
  checkWorkflow: {
    ...noPath,
    body: z.strictObject({ yaml }),
    response: z.object({
      ok: z.boolean(),
      hash: hash.nullable(),
      descriptor: descriptor.nullable(),
      faults: z.array(
        z.object({
          level: z.enum(["fault", "warning"]),
          message: text,
          place: text.nullable(),
          span: z.object({ start: count, end: count, line: positive, column: positive }).nullable(),
        }),
      ),
    }),
  },
  teach: {
    ...noPath,
    body: z.strictObject({ words: z.string().trim().min(1).max(20_000) }),
    response: z.object({ threadId: text }),
  },
};
