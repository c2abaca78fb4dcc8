import type { Settings } from "@uncaged/workflow-register";
import type { Questions } from "./ask.ts";
import { KNOWN_PROVIDERS } from "./known-providers.ts";
import { NO_WISHES, type Wishes } from "./wishes.ts";

type Given = { settings: Settings; env: Readonly<Record<string, string | undefined>> };

/** Asks a person what they want; null: they do not want to go on. */
export async function askWishes(questions: Questions, given: Given): Promise<Wishes | null> {
  const provider = await askProvider(questions, given);
  if (provider === null) return null;
  const model = await questions.text("Model that turns what agents say into data", {
    suggestion: "",
    check: required,
  });
  if (model === null) return null;
  const watch = await askSupervisor(questions, given.settings);
  if (watch === null) return null;
  const sumsUp = await questions.choose("Shall a model sum completed threads up?", [
    { value: "no", label: "No: the workflow's own summary is enough" },
    { value: "yes", label: `Yes: ${model}` },
  ]);
  if (sumsUp === null) return null;
  const defaultAgent = await askDefaultAgent(questions, given.settings);
  if (defaultAgent === null) return null;
  return {
    ...NO_WISHES,
    ...provider,
    model,
    supervisorInterval: watch,
    supervisorModel: watch === 0 ? null : model,
    summarizerModel: sumsUp === "yes" ? model : null,
    defaultAgent: defaultAgent === NO_CHOICE ? null : defaultAgent,
  };
}

type ProviderWishes = Pick<Wishes, "provider" | "baseUrl" | "apiKeyEnv" | "apiKey">;

const OTHER = "another";

async function askProvider(
  questions: Questions,
  { settings, env }: Given,
): Promise<ProviderWishes | null> {
  const configured = [...settings.providers].filter(([name]) => !KNOWN_PROVIDERS.has(name));
  const chosen = await questions.choose("Which provider?", [
    ...configured.map(([name, { baseUrl }]) => ({ value: name, label: `${name} (${baseUrl})` })),
    ...[...KNOWN_PROVIDERS].map(([value, { title }]) => ({ value, label: title })),
    { value: OTHER, label: "Another with an OpenAI-compatible endpoint" },
  ]);
  if (chosen === null) return null;
  const nothing = { provider: chosen, baseUrl: null, apiKeyEnv: null, apiKey: null };
  if (settings.providers.has(chosen)) return nothing;
  const preset = KNOWN_PROVIDERS.get(chosen);
  if (preset !== undefined) {
    if (preset.keyVariable === null) return nothing;
    const key = await askKey(questions, { variable: preset.keyVariable, env, needed: true });
    return key === null ? null : { ...nothing, ...key };
  }
  const baseUrl = await questions.text("Where is it?", { suggestion: "https://", check: required });
  if (baseUrl === null) return null;
  const provider = await questions.text("What to call it?", {
    suggestion: URL.parse(baseUrl)?.hostname ?? "",
    check: required,
  });
  if (provider === null) return null;
  const variable = `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
  const key = await askKey(questions, { variable, env, needed: false });
  return key === null ? null : { provider, baseUrl, ...key };
}

async function askKey(
  questions: Questions,
  { variable, env, needed }: { variable: string; needed: boolean } & Pick<Given, "env">,
): Promise<Pick<Wishes, "apiKeyEnv" | "apiKey"> | null> {
  const isSet = env[variable] === undefined ? "which is not set now" : "which is set";
  const where = await questions.choose("Where is the key?", [
    { value: "env", label: `In an environment variable, such as ${variable}, ${isSet}` },
    { value: "file", label: "I paste it; it is kept in workflow.yaml, which only I can read" },
    ...(needed ? [] : [{ value: "none", label: "It needs none" }]),
  ]);
  if (where === null) return null;
  if (where === "none") return { apiKeyEnv: null, apiKey: null };
  if (where === "file") {
    const apiKey = await questions.secret("The key");
    return apiKey === null ? null : { apiKeyEnv: null, apiKey };
  }
  const about = { suggestion: variable, check: required };
  const apiKeyEnv = await questions.text("Name of the variable", about);
  return apiKeyEnv === null ? null : { apiKeyEnv, apiKey: null };
}

/** Steps between two looks. */
async function askSupervisor(questions: Questions, settings: Settings): Promise<number | null> {
  const steps = await questions.text(
    "Shall it watch over threads? Steps between two looks; 0: it shall not",
    {
      suggestion: String(settings.supervisorInterval),
      check: (answer) => (/^\d{1,6}$/.test(answer) ? null : "a whole number, 0 or more"),
    },
  );
  return steps === null ? null : Number(steps);
}

const NO_CHOICE = "";

async function askDefaultAgent(questions: Questions, settings: Settings): Promise<string | null> {
  if (settings.agents.size === 0) return NO_CHOICE;
  return questions.choose("Which agent plays where none is named?", [
    ...[...settings.agents.keys()].map((name) => ({ value: name, label: name })),
    { value: NO_CHOICE, label: "Leave it as it is" },
  ]);
}

function required(answer: string): string | null {
  return answer === "" ? "an answer is needed" : null;
}
