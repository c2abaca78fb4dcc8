/** What a person wants of the configuration; null: nothing was said about it. */
export type Wishes = {
  provider: string | null;
  baseUrl: string | null;
  /** Name of the variable. */
  apiKeyEnv: string | null;
  /** The key itself, which will stand in the file. */
  apiKey: string | null;
  /** Models; without a provider each begins with one. */
  model: string | null;
  supervisorModel: string | null;
  supervisorInterval: number | null;
  summarizerModel: string | null;
  defaultAgent: string | null;
};

export const NO_WISHES: Wishes = {
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
