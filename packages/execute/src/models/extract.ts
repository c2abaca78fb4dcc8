/** Turns what an agent said into a value of a schema.
 *
 *  1. Free methods come first: the last fenced JSON block, YAML front matter or plain JSON that fits.
 *  2. Only then a model is asked, if `config.models.extract` names one.
 *  3. If no value fits, there is no value: `INVALID_OUTPUT` says why.
 *  4. What the model costs belongs to the step, even when it produced nothing. */
import {
  type AgentEvent,
  agentError,
  type CasStore,
  type ExtractFn,
  failure,
  type Usage,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { structuredIn } from "@uncaged/workflow-util";
import type { z } from "zod";
import { readNode } from "../chain/read-node.ts";
import { costMeter } from "./cost-meter.ts";
import type { EngineModels } from "./engine-model.ts";
import { extractByModel } from "./extract-by-model.ts";

export type ExtractParts = {
  cas: Pick<CasStore, "get">;
  models: EngineModels;
  signal: AbortSignal;
};

export type Extractor = {
  /** Extraction for one step. The model's costs and waiting times go to the step's live events. Throws
   *  `INVALID_OUTPUT`, `CONFIG_INVALID` for a wrongly configured model, or `THREAD_ABORTED`. */
  forStep: (emit: (event: AgentEvent) => void) => ExtractFn;
  /** What models have cost since the last call; null: none was called. */
  takeCost: () => Usage | null;
};

export function extractor(parts: ExtractParts): Extractor {
  const cost = costMeter();
  return {
    forStep: (emit) =>
      extractFor(parts, (event) => {
        if (event.type === "usage") cost.add(event.usage);
        emit(event);
      }),
    takeCost: cost.take,
  };
}

function extractFor(
  { cas, models, signal }: ExtractParts,
  emit: (event: AgentEvent) => void,
): ExtractFn {
  return async <T>(schema: z.ZodType<T>, contentHash: string): Promise<T> => {
    const text = (await readNode(cas, contentHash, "content")).payload;
    for await (const candidate of structuredIn(text)) {
      const parsed = schema.safeParse(candidate);
      if (parsed.success) return parsed.data;
    }
    const model = await models.model("extract");
    if (!model.ok) throw new WorkflowError(model.error);
    if (model.value === null) throw new WorkflowError(nothingFree(contentHash));
    const source = { hash: contentHash, text };
    const found = await extractByModel(model.value, { cas, schema, source, signal, emit });
    if (found.ok) return found.value;
    if (found.error.outcome === "cancelled") throw cancelled();
    throw new WorkflowError(nothingFound(contentHash, found.error.reason));
  };
}

function nothingFree(contentHash: string): ReturnType<typeof failure> {
  return failure(
    "INVALID_OUTPUT",
    `content ${contentHash} holds no JSON or front matter that fits the role's schema`,
    "let the agent end its answer with a fenced JSON block, bind an adapter that returns meta itself, or configure a model for extraction: uncaged-workflow setup",
  );
}

function nothingFound(contentHash: string, reason: string): ReturnType<typeof failure> {
  return failure(
    "INVALID_OUTPUT",
    `content ${contentHash} holds no JSON or front matter that fits the role's schema, and the extraction model returned none: ${reason}`,
    "see what the agent said with: uncaged-workflow cas get --payload <hash>; test the model with: uncaged-workflow setup",
  );
}

function cancelled(): WorkflowError {
  return agentError("cancelled", { message: "the step was stopped", hint: "", run: null });
}
