/** The models that the engine itself asks: `extract`, `supervisor` and `summarizer` of `config.models`.
 *
 *  1. Settings are read once a run, when the first model is wanted; a change of them counts from the next run on.
 *  2. What talks to models is loaded with the first of them: most threads ask none. */
import type { Failure, Result } from "@uncaged/workflow-protocol";
import { ok } from "@uncaged/workflow-protocol";
import type { LlmFn, LlmProvider } from "@uncaged/workflow-reactor";
import { readSettings, resolveModel, type Settings, variablesOf } from "@uncaged/workflow-register";

type ModelUse = "extract" | "supervisor" | "summarizer";

export type EngineModels = {
  /** Settings as they were when they were first asked for. */
  settings: () => Promise<Result<Settings, Failure>>;
  /** null: none is configured for this use. Fails with `CONFIG_INVALID`, naming what is missing. */
  model: (use: ModelUse) => Promise<Result<LlmFn | null, Failure>>;
};

/** A supervisor or summarizer that is slow must not hold a thread for long: it goes on without them. */
const BRIEF = { totalTimeoutMs: 60_000, idleTimeoutMs: 30_000, maxRetries: 2, maxDelayMs: 10_000 };
/** A step depends on its extraction, so it is waited for longer. */
const PATIENT = { totalTimeoutMs: 120_000, idleTimeoutMs: 60_000 };

const LIMITS: { readonly [use in ModelUse]: Partial<LlmProvider> } = {
  extract: PATIENT,
  supervisor: BRIEF,
  summarizer: BRIEF,
};

export function engineModels(
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): EngineModels {
  let read: Promise<Result<Settings, Failure>> | undefined;
  const settings = (): Promise<Result<Settings, Failure>> => {
    read ??= readSettings(root);
    return read;
  };
  return {
    settings,
    model: async (use) => {
      const configured = await settings();
      if (!configured.ok) return configured;
      if (!configured.value.models.has(use)) return ok(null);
      const model = resolveModel(configured.value, use, variablesOf(root, env));
      if (!model.ok) return model;
      const { createLlmFn } = await import("@uncaged/workflow-reactor");
      return ok(createLlmFn({ ...model.value, ...LIMITS[use] }));
    },
  };
}
