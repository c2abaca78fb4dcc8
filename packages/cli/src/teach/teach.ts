/** `teach`: a workflow from somebody's own words, drafted by an agent in a thread of the workflow `author`.
 *
 *  1. All that is said is in the thread: after a crash, or from another terminal, `--thread` goes on with it.
 *  2. The engine answers in the place of `checker`; people answer everything else. Without a terminal the command ends
 *     where a person is asked.
 *  3. Published is what the owner has called good, and nothing before. */
import {
  answerThread,
  type Engine,
  findThread,
  openWaits,
  startThread,
  viewThread,
  waitForThread,
} from "@uncaged/workflow-execute";
import {
  EXIT,
  err,
  type Failure,
  failure,
  isPersonWait,
  ok,
  type PersonWait,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { isAtTerminal } from "../command/at-terminal.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { withEngine } from "../command/with-engine.ts";
import { writeText } from "../command/write-text.ts";
import { printable } from "../terminal/printable.ts";
import { styleOf } from "../terminal/style.ts";
import { askAnswer } from "../thread/steer/ask-answer.ts";
import { add } from "../workflow/add.ts";
import { withYamlFile } from "../workflow/with-yaml-file.ts";
import { AUTHOR_FLOW } from "./author-flow.ts";
import { judgeDraft } from "./judge-draft.ts";

/** Name of the workflow that drafts. */
const AUTHOR = "author";
/** Recorded as the user of its answers. */
const CHECKER = "uncaged-workflow teach";

export type Teach = {
  /** Name to publish under. */
  name: string;
  /** What happens today, in one's own words; empty: asked for. */
  words: string;
  /** An earlier thread to go on with; null: a new one. */
  thread: string | null;
};

export async function teach(
  { name, words, thread }: Teach,
  io: Io,
): Promise<Result<Output, Failure>> {
  const said = thread === null && words === "" ? await askWords(io) : words;
  const drafted = await withEngine(io, async (engine): Promise<Result<Drafted, Failure>> => {
    const begun =
      thread === null ? await beginTeaching(said, engine, io) : await findThread(engine, thread);
    if (!begun.ok) return begun;
    await writeText(io.stderr, `${styleOf(io.stderr).dim("thread")} ${begun.value.threadId}\n`);
    return converse(engine, begun.value.threadId, io);
  });
  if (!drafted.ok) return drafted;
  const { threadId, yaml } = drafted.value;
  if (yaml === null) return ok(waitingFor(name, drafted.value));
  return published(name, { threadId, yaml }, io);
}

/** Starts a thread that drafts what `words` say. */
export async function beginTeaching(
  words: string,
  engine: Engine,
  io: Io,
): Promise<Result<{ threadId: string }, Failure>> {
  const prepared = await prepare(io);
  return prepared.ok ? startThread(engine, startOf(words, io)) : prepared;
}

/** Answers in the place of `checker` where it is asked, and changes nothing where it is not: whoever looks at the
 *  thread may ask for it, at any time and again. */
export async function checkDraft(
  engine: Engine,
  thread: ThreadRecord,
  io: Io,
): Promise<Result<ThreadRecord, Failure>> {
  if (thread.workflow !== AUTHOR)
    return err(notDrafted(thread.threadId, `is one of ${thread.workflow}`));
  const wait = (await openWaits(engine, thread)).find(isPersonWait);
  if (wait?.role !== "checker") return ok(thread);
  const answer = await check(engine, thread, io);
  const taken = await answerThread(engine, thread, { ...answer, member: null });
  return !taken.ok && taken.error.code === "ANSWER_TAKEN" ? ok(thread) : taken;
}

/** The workflow `author`, as this version has it. */
async function prepare(io: Io): Promise<Result<unknown, Failure>> {
  return withYamlFile({ name: AUTHOR, yaml: AUTHOR_FLOW }, (file) =>
    add({ name: AUTHOR, file, types: null, force: false }, { ...io, json: true }),
  );
}

function startOf(prompt: string, { cwd }: Io): Parameters<typeof startThread>[1] {
  return {
    ...{ workflow: AUTHOR, prompt, cwd, startKey: null, limits: null, title: null, labels: {} },
    ...{ starter: null, priority: 0, run: "background" },
  };
}

async function askWords(io: Io): Promise<string> {
  if (!isAtTerminal(io))
    throw usageError(
      "nothing was described",
      'give it in words: uncaged-workflow teach <name> --prompt "…"',
    );
  const { terminalQuestions } = await import("../terminal/questions.ts");
  const said = await terminalQuestions(io.env).longText(
    "What happens today, step by step, who does it, and who decides?",
    { suggestion: "", check: (answer) => (answer === "" ? "a sentence is needed" : null) },
  );
  if (said === null) throw usageError("cancelled; nothing was started", "");
  return said;
}

/** `yaml` null: a person is asked, and nobody is here. */
type Drafted = { threadId: string; yaml: string | null; asked: PersonWait | null };

async function converse(
  engine: Engine,
  threadId: string,
  io: Io,
): Promise<Result<Drafted, Failure>> {
  const signal = io.interruption();
  while (true) {
    const thread = await waitForThread(engine, threadId, signal);
    if (thread === null) return err(notDrafted(threadId, "was removed"));
    const wait = (await openWaits(engine, thread)).find(isPersonWait);
    if (wait === undefined) return finished(engine, thread);
    const answer = wait.role === "checker" ? await check(engine, thread, io) : await ask(wait, io);
    if (answer === null) return ok({ threadId, yaml: null, asked: wait });
    const taken = await answerThread(engine, thread, { ...answer, member: null });
    // Somebody else may have been quicker, on the page: then there is another question, or none.
    if (!taken.ok && taken.error.code !== "ANSWER_TAKEN") return taken;
  }
}

type Answer = { meta: Parameters<typeof answerThread>[2]["meta"]; user: string };

async function check(engine: Engine, thread: ThreadRecord, io: Io): Promise<Answer> {
  const { status, said } = await judgeDraft((await draftOf(engine, thread)) ?? "", io);
  return { meta: { status, said }, user: CHECKER };
}

async function ask(wait: PersonWait, io: Io): Promise<Answer | null> {
  if (!isAtTerminal(io)) return null;
  const { terminalQuestions } = await import("../terminal/questions.ts");
  const meta = await askAnswer(terminalQuestions(io.env), wait);
  return meta === null ? null : { meta, user: io.env.USER ?? "unknown" };
}

/** What the drafter has written last; null: nothing. */
async function draftOf(engine: Engine, thread: ThreadRecord): Promise<string | null> {
  const { steps } = await viewThread(engine, thread);
  const yaml = steps.findLast(({ role }) => role === "drafter")?.meta.yaml;
  return typeof yaml === "string" ? yaml : null;
}

async function finished(engine: Engine, thread: ThreadRecord): Promise<Result<Drafted, Failure>> {
  const { threadId, status } = thread;
  if (thread.workflow !== AUTHOR) return err(notDrafted(threadId, `is one of ${thread.workflow}`));
  if (status !== "completed") return err(notDrafted(threadId, `is ${status}`));
  return ok({ threadId, yaml: await draftOf(engine, thread), asked: null });
}

function notDrafted(threadId: string, why: string): Failure {
  return failure(
    "THREAD_UNFINISHED",
    `no workflow was drafted: thread ${threadId} ${why}`,
    `see what happened with: uncaged-workflow thread show ${threadId}`,
  );
}

function waitingFor(name: string, { threadId, asked }: Drafted): Output {
  const role = asked?.role ?? null;
  return {
    document: { name, threadId, waiting: role, message: asked?.message ?? null },
    human: ({ bold }) =>
      `${bold(String(role))} is asked: ${printable(asked?.message ?? "")}\nAnswer: uncaged-workflow thread answer ${threadId} …\nThen: uncaged-workflow teach ${name} --thread ${threadId}`,
    exitCode: EXIT.waitsForPerson,
  };
}

async function published(
  name: string,
  { threadId, yaml }: { threadId: string; yaml: string },
  io: Io,
): Promise<Result<Output, Failure>> {
  const added = await withYamlFile({ name, yaml }, (file) =>
    add({ name, file, types: null, force: false }, io),
  );
  if (!added.ok) return added;
  const { document } = added.value as { document: object };
  return ok({
    document: { ...document, threadId, yaml },
    human: ({ bold }) =>
      `${bold(name)} is published.\nSee it: uncaged-workflow workflow show ${name} --graph\nChange it: uncaged-workflow workflow show ${name} --yaml > ${name}.yaml\nRun it: uncaged-workflow run ${name} --prompt "…" --wait`,
  });
}
