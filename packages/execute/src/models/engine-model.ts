/** The models that the engine itself calls: `extract`, `supervisor` and `summarizer` of `config.models`.
 *
 *  1. Settings are read once per run, when the first model is needed; changes take effect with the next run.
 *  2. The client code is loaded with the first model: most threads use none. */
import type { Failure, Result } from "@uncaged/workflow-protocol";
import { ok } from "@uncaged/workflow-protocol";
import type { LlmFn, LlmProvider } from "@uncaged/workflow-reactor";
import { readSettings, resolveModel, type Settings, variablesOf } from "@uncaged/workflow-register";

type ModelUse = "extract" | "supervisor" | "summarizer";

export type EngineModels = {
  /** Settings as they were when they were first needed. */
  settings: () => Promise<Result<Settings, Failure>>;
  /** null: none is configured for this use. Fails with `CONFIG_INVALID`, naming what is missing. */
  model: (use: ModelUse) => Promise<Result<LlmFn | null, Failure>>;
};

/** A slow supervisor or summarizer must not hold up a thread for long: the thread continues without it. */
const BRIEF = { totalTimeoutMs: 60_000, idleTimeoutMs: 30_000, maxRetries: 2, maxDelayMs: 10_000 };
/** A step depends on its extraction, so we wait longer for it. */
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
