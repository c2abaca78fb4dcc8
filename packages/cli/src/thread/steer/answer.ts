/** A person's answer to a role that the person plays: from the command line, or asked for on the terminal. */
import { userInfo } from "node:os";
import { answerThread, askLeftBehind, awaitedPerson, openWaits } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  isPersonWait,
  type JsonObject,
  ok,
  type PersonWait,
  PROCESS_TAG_ENV,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { isAtTerminal } from "../../command/at-terminal.ts";
import type { Output, Said } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { usageError } from "../../command/options.ts";
import { withThread } from "../../command/with-engine.ts";
import { stayWith } from "../look/stay.ts";
import type { Stay } from "../look/stay-options.ts";
import { formFields } from "../view/form-fields.ts";
import { waitingFor } from "../view/waiting-for.ts";
import { readAnswer } from "./read-answer.ts";
import { steered } from "./steered.ts";

export function answer(
  opts: { id: string; words: readonly string[]; member: number | null; stay: Stay },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { words, stay } = opts;
  return withThread(io, opts.id, async (engine, thread) => {
    // An agent would approve its own work.
    if (io.env[PROCESS_TAG_ENV]) return err(insideStep());
    await askLeftBehind(engine, [thread], io.interruption());
    const found = (await engine.store.get(thread.threadId)) ?? thread;
    const people = (await openWaits(engine, found)).filter(isPersonWait);
    const member = await addressee(people, opts.member, io);
    const wait = await awaitedPerson(engine, found, { member });
    if (!wait.ok) return wait;
    const meta = await answerTo(wait.value, words, io);
    if (meta === null) return err(cancelled());
    // Determined before the call: earlier events are not shown again.
    const after = await engine.live.last(found.threadId);
    const answered = await answerThread(engine, found, { meta, user: currentUser(), member });
    if (!answered.ok) return answered;
    if (stay === "background") return ok(taken(answered.value, io));
    return stayWith({ engine, thread: answered.value, after }, stay, io);
  });
}

function taken(thread: ThreadRecord, io: Io): Said {
  const said = steered(thread, io);
  // Somebody stopped it while people of its group were asked.
  if (thread.status !== "idle") return said;
  const later = `; the answer counts once it goes on: uncaged-workflow thread resume ${thread.threadId}`;
  return { ...said, human: (style) => `${said.human(style)}${later}` };
}

/** The member of a group whose answer it is. If several wait, the person at a terminal is asked. */
async function addressee(
  people: readonly PersonWait[],
  given: number | null,
  io: Io,
): Promise<number | null> {
  if (given !== null || people.length < 2 || !isAtTerminal(io)) return given;
  const { terminalQuestions } = await import("../../terminal/questions.ts");
  const choices = people.map((wait) => ({
    value: String(wait.member),
    label: `${waitingFor(wait)} ${wait.message}`,
  }));
  const chosen = await terminalQuestions(io.env).choose("Whose answer?", choices);
  return chosen === null ? null : Number(chosen);
}

/** null: the person cancelled. */
async function answerTo(
  wait: PersonWait,
  words: readonly string[],
  io: Io,
): Promise<JsonObject | null> {
  if (words.length > 0) return readAnswer(wait.form, words);
  if (isAtTerminal(io)) {
    const [{ askAnswer }, { terminalQuestions }] = await Promise.all([
      import("./ask-answer.ts"),
      import("../../terminal/questions.ts"),
    ]);
    return askAnswer(terminalQuestions(io.env), wait);
  }
  const fields = formFields(wait.form).trim();
  throw usageError("no field was given", `give the fields of ${wait.role}: ${fields}`);
}

/** Who runs this command. A container may have a number without a name. */
function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

function insideStep(): Failure {
  return failure(
    "ANSWER_REFUSED",
    "a process of a step may not answer in place of a person; nothing was changed",
    "answer from a terminal of your own",
  );
}

function cancelled(): Failure {
  return failure("THREAD_ABORTED", "cancelled; nothing was answered", "");
}
