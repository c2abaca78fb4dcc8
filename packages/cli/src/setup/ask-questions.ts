import type { Settings } from "@uncaged/workflow-register";
import type { Questions } from "../terminal/questions.ts";
import { type Answers, NO_ANSWERS } from "./answers.ts";
import { KNOWN_PROVIDERS } from "./known-providers.ts";

type Given = {
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
  /** The person's previous answers, to be changed; null: these are the first questions. */
  before: Answers | null;
};

/** Asks a person for their choices; null: they cancelled. */
export async function askQuestions(questions: Questions, given: Given): Promise<Answers | null> {
  const models = await askModels(questions, given);
  if (models === null) return null;
  const defaultAgent = await askDefaultAgent(questions, given);
  if (defaultAgent === null) return null;
  return { ...models, defaultAgent: defaultAgent === NO_CHOICE ? null : defaultAgent };
}

/** The models that the engine itself calls. It needs none. */
async function askModels(questions: Questions, given: Given): Promise<Answers | null> {
  const { before } = given;
  const provider = await askProvider(questions, given);
  if (provider === null) return null;
  if (provider.provider === null) return NO_ANSWERS;
  const model = await questions.text("Which model should extract results from what agents write?", {
    suggestion: before?.model ?? "",
    check: required,
  });
  if (model === null) return null;
  const watch = await askSupervisor(questions, given);
  if (watch === null) return null;
  const sumsUp = await questions.choose(
    "Should the model write a summary of each completed thread?",
    [
      { value: "no", label: "No, the workflow's own summary is enough" },
      { value: "yes", label: `Yes, ${model}` },
    ],
    before?.summarizerModel == null ? "no" : "yes",
  );
  if (sumsUp === null) return null;
  return {
    ...NO_ANSWERS,
    ...provider,
    model,
    supervisorInterval: watch,
    supervisorModel: watch === 0 ? null : model,
    summarizerModel: sumsUp === "yes" ? model : null,
  };
}

type ProviderWishes = Pick<Answers, "provider" | "baseUrl" | "apiKeyEnv" | "apiKey">;

const OTHER = "another";
/** Not a provider's name. */
const NO_MODEL = "";

async function askProvider(
  questions: Questions,
  { settings, env, before }: Given,
): Promise<ProviderWishes | null> {
  const configured = [...settings.providers].filter(([name]) => !KNOWN_PROVIDERS.has(name));
  const choices = [
    ...configured.map(([name, { baseUrl }]) => ({ value: name, label: `${name} (${baseUrl})` })),
    ...[...KNOWN_PROVIDERS].map(([value, { title }]) => ({ value, label: title })),
    { value: OTHER, label: "Another with an OpenAI-compatible endpoint" },
    { value: NO_MODEL, label: "None: I only use agents, which bring their own models" },
  ];
  const earlier = before === null ? undefined : (before.provider ?? NO_MODEL);
  const isListed = choices.some(({ value }) => value === earlier);
  const marked = earlier === undefined || isListed ? earlier : OTHER;
  const chosen = await questions.choose(
    "Where is the model that the engine may use?",
    choices,
    marked,
  );
  if (chosen === null) return null;
  const nothing = { provider: chosen, baseUrl: null, apiKeyEnv: null, apiKey: null };
  if (chosen === NO_MODEL) return { ...nothing, provider: null };
  if (settings.providers.has(chosen)) return nothing;
  const preset = KNOWN_PROVIDERS.get(chosen);
  if (preset !== undefined) {
    if (preset.keyVariable === null) return nothing;
    const about = { variable: preset.keyVariable, env, before, needed: true };
    const key = await askKey(questions, about);
    return key === null ? null : { ...nothing, ...key };
  }
  const baseUrl = await questions.text("What is its address?", {
    suggestion: before?.baseUrl ?? "https://",
    check: required,
  });
  if (baseUrl === null) return null;
  const provider = await questions.text("What do you want to call it?", {
    suggestion: before?.provider ?? URL.parse(baseUrl)?.hostname ?? "",
    check: required,
  });
  if (provider === null) return null;
  const variable = `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
  const key = await askKey(questions, { variable, env, before, needed: false });
  return key === null ? null : { provider, baseUrl, ...key };
}

async function askKey(
  questions: Questions,
  {
    variable,
    env,
    before,
    needed,
  }: { variable: string; needed: boolean } & Pick<Given, "env" | "before">,
): Promise<Pick<Answers, "apiKeyEnv" | "apiKey"> | null> {
  const isSet = env[variable] === undefined ? "which is not set now" : "which is set";
  const pasted = before?.apiKey ?? null;
  const where = await questions.choose("Where is the key?", [
    ...(pasted === null ? [] : [{ value: "same", label: "The one I pasted before" }]),
    { value: "env", label: `In an environment variable, such as ${variable}, ${isSet}` },
    {
      value: "file",
      label: "I will paste it; it is stored in workflow.yaml, which only I can read",
    },
    ...(needed ? [] : [{ value: "none", label: "It needs none" }]),
  ]);
  if (where === null) return null;
  if (where === "same") return { apiKeyEnv: null, apiKey: pasted };
  if (where === "none") return { apiKeyEnv: null, apiKey: null };
  if (where === "file") {
    const apiKey = await questions.secret("The key");
    return apiKey === null ? null : { apiKeyEnv: null, apiKey };
  }
  const about = { suggestion: before?.apiKeyEnv ?? variable, check: required };
  const apiKeyEnv = await questions.text("Name of the variable", about);
  return apiKeyEnv === null ? null : { apiKeyEnv, apiKey: null };
}

/** Steps between two checks. */
async function askSupervisor(
  questions: Questions,
  { settings, before }: Given,
): Promise<number | null> {
  const steps = await questions.text(
    "After how many steps should the model check that a thread is on course? 0 means never",
    {
      suggestion: String(before?.supervisorInterval ?? settings.supervisorInterval),
      check: (answer) => (/^\d{1,6}$/.test(answer) ? null : "a whole number, 0 or more"),
    },
  );
  return steps === null ? null : Number(steps);
}

const NO_CHOICE = "";

async function askDefaultAgent(
  questions: Questions,
  { settings, before }: Given,
): Promise<string | null> {
  if (settings.agents.size === 0) return NO_CHOICE;
  return questions.choose(
    "Which agent should play roles that name none?",
    [
      ...[...settings.agents.keys()].map((name) => ({ value: name, label: name })),
      { value: NO_CHOICE, label: "Leave it as it is" },
    ],
    before === null ? undefined : (before.defaultAgent ?? NO_CHOICE),
  );
}

function required(answer: string): string | null {
  return answer === "" ? "an answer is needed" : null;
}
