import type { Command } from "../command/command.ts";
import { countOption, type Option, switchOption, textOption } from "../command/options.ts";

const provider: Option<string | null> = textOption(
  "--provider <provider>",
  "name of the provider; openai, openrouter, groq, mistral and ollama are known",
);
const baseUrl: Option<string | null> = textOption(
  "--base-url <url>",
  "OpenAI-compatible endpoint, such as https://host/v1",
);
const apiKeyEnv: Option<string | null> = textOption(
  "--api-key-env <variable>",
  "environment variable that contains the key; only its name is stored",
);
const apiKeyStdin: Option<boolean> = switchOption(
  "--api-key-stdin",
  "read the key from stdin and store it in workflow.yaml",
);
const model: Option<string | null> = textOption(
  "--model <model>",
  "model that extracts results from what agents say; without --provider: <provider>/<model>",
);
const supervisorModel: Option<string | null> = textOption(
  "--supervisor-model <model>",
  "model that supervises threads",
);
const supervisorInterval: Option<number | null> = countOption(
  "--supervisor-interval <steps>",
  "steps between two checks by the supervisor; 0 turns it off",
  { atLeast: 0 },
);
const summarizerModel: Option<string | null> = textOption(
  "--summarizer-model <model>",
  "model that summarises completed threads",
);
const defaultAgent: Option<string | null> = textOption(
  "--default-agent <agent>",
  "agent of config.agents that plays roles for which none is named",
);
const skipTest: Option<boolean> = switchOption(
  "--skip-test",
  "do not test the models with one word first",
);

export const setup: Command = {
  description:
    "Choose models and the default agent; on a terminal, asks for whatever no flag sets.",
  arguments: [],
  options: [
    provider,
    baseUrl,
    apiKeyEnv,
    apiKeyStdin,
    model,
    supervisorModel,
    supervisorInterval,
    summarizerModel,
    defaultAgent,
    skipTest,
  ],
  example: "--provider openrouter --model vendor/model",
  run: async (given, io) =>
    (await import("./setup.ts")).setup(
      {
        provider: given(provider),
        baseUrl: given(baseUrl),
        apiKeyEnv: given(apiKeyEnv),
        apiKeyStdin: given(apiKeyStdin),
        model: given(model),
        supervisorModel: given(supervisorModel),
        supervisorInterval: given(supervisorInterval),
        summarizerModel: given(summarizerModel),
        defaultAgent: given(defaultAgent),
        skipTest: given(skipTest),
      },
      io,
    ),
};
