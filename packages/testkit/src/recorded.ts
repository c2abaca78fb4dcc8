import { type AdapterFn, failure, WorkflowError } from "@uncaged/workflow-protocol";
import { scripted } from "./scripted.ts";
import { type ScriptedTurn, says } from "./scripted-turn.ts";

/** Agents that say again what was said in a real thread: the document is what `thread show --json` prints.
 *  Throws `USAGE` for another document. */
export function recorded(threadShow: unknown): AdapterFn {
  const turns = Map.groupBy(stepsOf(threadShow), ({ role }) => role);
  return scripted(
    Object.fromEntries(Array.from(turns, ([role, steps]) => [role, steps.map(turnOf)])),
  );
}

type RecordedStep = {
  role: string;
  meta: Record<string, unknown>;
  content: string;
  childThread: string | null;
};

function turnOf({ meta, content, childThread }: RecordedStep): ScriptedTurn {
  return says(meta, { content, childThread });
}

function stepsOf(document: unknown): RecordedStep[] {
  if (!isRecord(document) || !Array.isArray(document.steps))
    throw notAThread("it has no list `steps`");
  return document.steps.map((step: unknown, at) => {
    if (!isRecord(step)) throw notAThread(`steps[${at}] is no object`);
    const { role, meta, content, childThread = null } = step;
    if (typeof role !== "string") throw notAThread(`steps[${at}].role is no text`);
    if (!isRecord(meta)) throw notAThread(`steps[${at}].meta is no object`);
    if (typeof content !== "string") throw notAThread(`steps[${at}].content is no text`);
    if (childThread !== null && typeof childThread !== "string") {
      throw notAThread(`steps[${at}].childThread is neither text nor null`);
    }
    return { role, meta, content, childThread };
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notAThread(why: string): WorkflowError {
  return new WorkflowError(
    failure(
      "USAGE",
      `this is not what \`thread show --json\` prints: ${why}`,
      "parse its output with JSON.parse first",
    ),
  );
}
