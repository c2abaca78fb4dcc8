/** Chooses models and the default agent: by flags, or by questions on a terminal.
 *
 *  1. Nothing is written before every chosen model has responded, unless the person insists. Their answers are kept
 *     until then: they can change them, try again, or have them written anyway.
 *  2. A key goes into an environment variable or into the file, never into argv, where others can see it. */
import { EXIT, err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  readSettings,
  resolveModel,
  type Settings,
  type SettingsChange,
  variablesOf,
} from "@uncaged/workflow-register";
import { storagePaths, storageRoot } from "@uncaged/workflow-util";
import { isAtTerminal } from "../command/at-terminal.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { readStdin } from "../command/read-text.ts";
import { warn } from "../command/warn.ts";
import { withRegistry } from "../command/with-registry.ts";
import { writeText } from "../command/write-text.ts";
import { printable, printableLine } from "../terminal/printable.ts";
import type { Questions } from "../terminal/questions.ts";
import { styleOf } from "../terminal/style.ts";
import type { Answers } from "./answers.ts";
import { askQuestions } from "./ask-questions.ts";
import { changed, planChange } from "./plan-change.ts";
import { type TestedModel, testModel } from "./test-model.ts";

export type SetupFlags = Omit<Answers, "apiKey"> & { apiKeyStdin: boolean; skipTest: boolean };

/** `questions`: how to ask a person; null: on this terminal, if there is one. */
export async function setup(
  flags: SetupFlags,
  io: Io,
  questions: Questions | null = null,
): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const skipTest = flags.skipTest;
  const plan = isSilent(flags)
    ? await askPlan(questions ?? (await terminal(io)), { settings: settings.value, skipTest, io })
    : await tryOut(await wishesIn(flags, io), { settings: settings.value, skipTest, io });
  if (plan === null) return ok(CANCELLED);
  if (!plan.ok) return plan;
  const { change, tested } = plan.value;
  if (Object.keys(change).length === 0) return ok(NOTHING_TO_DO);
  const written = await withRegistry(io, ({ registry }) => registry.configure(change));
  if (!written.ok) return written;
  await warn(io, written.value.notes);
  return ok(report(storagePaths(root).registry, change, tested));
}

type Plan = { change: SettingsChange; tested: readonly TestedModel[] };
type At = { settings: Settings; skipTest: boolean; io: Io };

async function tryOut(
  answers: Answers,
  { settings, skipTest, io }: At,
): Promise<Result<Plan, Failure>> {
  const change = planChange(settings, answers);
  if (!change.ok) return change;
  const tested = skipTest ? ok([]) : await testAll(settings, change.value, io);
  return tested.ok ? ok({ change: change.value, tested: tested.value }) : tested;
}

/** Repeats until the models respond, or the person stops (null). */
async function askPlan(questions: Questions, at: At): Promise<Result<Plan, Failure> | null> {
  const { settings, io } = at;
  const ask = (before: Answers | null): Promise<Answers | null> =>
    askQuestions(questions, { settings, env: io.env, before });
  let answers = await ask(null);
  let skipTest = at.skipTest;
  while (answers !== null) {
    const plan = await tryOut(answers, { settings, io, skipTest });
    if (plan.ok || plan.error.code === "THREAD_ABORTED") return plan;
    const { message, hint } = plan.error;
    const { red, cyan } = styleOf(io.stderr);
    await io.stderr.write(`${red("error:")} ${printable(message)}\n`);
    if (hint !== "") await io.stderr.write(`${cyan("hint:")} ${printable(hint)}\n`);
    const next = await questions.choose("What now? Your answers are kept.", [
      { value: "change", label: "Change them" },
      { value: "again", label: "Try once more" },
      ...(planChange(settings, answers).ok
        ? [{ value: "keep", label: "Save them without a test" }]
        : []),
      { value: "stop", label: "Stop without saving" },
    ]);
    if (next === null || next === "stop") return null;
    if (next === "change") answers = await ask(answers);
    skipTest = at.skipTest || next === "keep";
  }
  return null;
}

const NOTHING_TO_DO: Output = {
  document: {
    ...{ file: null, providers: [], models: {}, supervisorInterval: null },
    ...{ defaultAgent: null, tested: [] },
  },
  human: () =>
    "nothing to write: without a model of its own the engine takes results as JSON from your agents",
};

const CANCELLED: Output = {
  document: { cancelled: true },
  human: () => "nothing was written",
  exitCode: EXIT.aborted,
};

function isSilent({ skipTest: _, ...flags }: SetupFlags): boolean {
  return Object.values(flags).every((flag) => flag === null || flag === false);
}

async function terminal(io: Io): Promise<Questions> {
  if (isAtTerminal(io)) return (await import("../terminal/questions.ts")).terminalQuestions(io.env);
  throw usageError(
    "setup asks its questions on a terminal, but this is not one",
    "use flags instead, for example: --provider openrouter --model vendor/model, or --default-agent <agent>; no model is needed for agents that bring their own",
  );
}

async function wishesIn(flags: SetupFlags, io: Io): Promise<Answers> {
  const { apiKeyStdin, skipTest: _, ...answers } = flags;
  if (apiKeyStdin && flags.apiKeyEnv !== null)
    throw usageError("--api-key-env and --api-key-stdin cannot be combined");
  const apiKey = apiKeyStdin ? (await readStdin(io.stdin)).trim() : null;
  if (apiKey === "")
    throw usageError("stdin contains no key", "pipe it in: … --api-key-stdin < key-file");
  if (apiKey?.startsWith("$"))
    throw usageError("stdin contains the name of a variable", "give it with --api-key-env <name>");
  return { ...answers, apiKey };
}

async function testAll(
  settings: Settings,
  change: SettingsChange,
  io: Io,
): Promise<Result<TestedModel[], Failure>> {
  const tested: TestedModel[] = [];
  const at = { now: io.now, signal: io.interruption() };
  const variables = variablesOf(storageRoot(io.env), io.env);
  for (const reference of new Set(Object.values(change.models ?? {}))) {
    const model = resolveModel(changed(settings, change), reference, variables);
    if (!model.ok) return model;
    if (io.stderr.isTerminal)
      await writeText(
        io.stderr,
        `${styleOf(io.stderr).dim(`asking ${printableLine(reference, 80)} …`)}\n`,
      );
    const answer = await testModel(reference, model.value, at);
    if (at.signal.aborted) return err(stopped());
    if (!answer.ok) return answer;
    tested.push(answer.value);
  }
  return ok(tested);
}

function stopped(): Failure {
  return failure("THREAD_ABORTED", "setup was stopped; nothing was written", "");
}

function report(file: string, change: SettingsChange, tested: readonly TestedModel[]): Output {
  const { models = {}, providers = {}, supervisorInterval, defaultAgent } = change;
  const document = {
    file,
    providers: Object.keys(providers),
    models,
    supervisorInterval: supervisorInterval ?? null,
    defaultAgent: defaultAgent ?? null,
    tested,
  };
  return {
    document,
    human: ({ green, bold, dim }) =>
      [
        ...tested.map(
          ({ model, answeredInMs }) => `${green("ok")} ${model} answered in ${answeredInMs} ms`,
        ),
        ...Object.entries(providers).map(
          ([name, { baseUrl }]) => `${bold(name)} ${printableLine(baseUrl, 200)}`,
        ),
        ...Object.entries(models).map(([use, reference]) => `${use}: ${bold(reference)}`),
        ...(supervisorInterval === undefined ? [] : [watchText(supervisorInterval)]),
        ...(defaultAgent === undefined ? [] : [`default agent: ${bold(defaultAgent)}`]),
        dim(`written to ${file}`),
      ].join("\n"),
  };
}

function watchText(interval: number): string {
  return interval === 0 ? "no supervisor" : `supervisor checks every ${interval} steps`;
}
