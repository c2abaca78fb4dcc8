/** Providers that need not be described: their address, and the variable in which people keep their key. */
export type KnownProvider = {
  title: string;
  baseUrl: string;
  /** null: it needs no key. */
  keyVariable: string | null;
};

export const KNOWN_PROVIDERS: ReadonlyMap<string, KnownProvider> = new Map([
  [
    "openai",
    { title: "OpenAI", baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
  ],
  [
    "openrouter",
    {
      title: "OpenRouter",
      baseUrl: "https://openrouter.ai/api/v1",
      keyVariable: "OPENROUTER_API_KEY",
    },
  ],
  [
    "groq",
    { title: "Groq", baseUrl: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
  ],
  [
    "mistral",
    { title: "Mistral", baseUrl: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
  ],
  [
    "ollama",
    { title: "Ollama (this machine)", baseUrl: "http://127.0.0.1:11434/v1", keyVariable: null },
  ],
]);
