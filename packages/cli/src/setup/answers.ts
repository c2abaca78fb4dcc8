/** What a person wants the configuration to be; null: they did not say. */
export type Answers = {
  provider: string | null;
  baseUrl: string | null;
  /** Name of the variable. */
  apiKeyEnv: string | null;
  /** The key itself, which will be written to the file. */
  apiKey: string | null;
  /** Models; without a provider each one starts with it. */
  model: string | null;
  supervisorModel: string | null;
  supervisorInterval: number | null;
  summarizerModel: string | null;
  defaultAgent: string | null;
};

export const NO_ANSWERS: Answers = {
  provider: null,
  baseUrl: null,
  apiKeyEnv: null,
  apiKey: null,
  model: null,
  supervisorModel: null,
  supervisorInterval: null,
  summarizerModel: null,
  defaultAgent: null,
};
