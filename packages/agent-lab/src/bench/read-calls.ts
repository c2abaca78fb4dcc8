import { type CasStore, TOOL_KINDS, type ToolCallRecord } from "@uncaged/workflow-protocol";
import { readContent } from "@uncaged/workflow-util-agent";
import { z } from "zod";

const CALL: z.ZodType<ToolCallRecord> = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(TOOL_KINDS),
  subject: z.string(),
  input: z.json(),
  output: z.string(),
  ok: z.boolean(),
  exitCode: z.number().nullable(),
  durationMs: z.number().nullable(),
  timestamp: z.number(),
});

/** The tool calls named in a step's record, as they were stored. */
export async function readCalls(
  cas: CasStore,
  hashes: readonly string[],
): Promise<ToolCallRecord[]> {
  return Promise.all(
    hashes.map(async (hash) => CALL.parse(JSON.parse(await readContent(cas, hash)))),
  );
}
