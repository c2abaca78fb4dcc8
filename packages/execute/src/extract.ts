import { type CasStore, type ExtractFn, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { structuredIn } from "@uncaged/workflow-util";
import type { z } from "zod";
import { readNode } from "./read-node.ts";

/** Extraction without a model: the last fenced JSON block, YAML front matter or plain JSON that satisfies
 *  the schema. Throws `INVALID_OUTPUT` when none of them does. */
export function freeExtract(cas: Pick<CasStore, "get">): ExtractFn {
  return async <T>(schema: z.ZodType<T>, contentHash: string): Promise<T> => {
    const text = (await readNode(cas, contentHash, "content")).payload;
    for await (const candidate of structuredIn(text)) {
      const parsed = schema.safeParse(candidate);
      if (parsed.success) return parsed.data;
    }
    throw new WorkflowError(
      failure(
        "INVALID_OUTPUT",
        `content ${contentHash} holds no JSON or front matter that fits the role's schema`,
        "let the agent end its answer with a fenced JSON block, or bind an adapter that returns meta itself",
      ),
    );
  };
}
