/** What the engine saw an agent do in one step.
 *
 *  1. A call is stored shortened and without secrets, and judged in that form: judging it again, after the agent has
 *     finished or when the thread is verified, has the same result.
 *  2. Calls are stored as they arrive, one after the other; memory does not grow with their number.
 *  3. The record names at most `MOST_KEPT`: the first half, the latest half, and every call that met a requirement. */
import type {
  CasStore,
  EvidenceRequirement,
  JsonValue,
  ToolCallRecord,
} from "@uncaged/workflow-protocol";
import { evidenceTally, type MissingEvidence } from "@uncaged/workflow-util/tool-rules";
import { redactJson } from "../answer/redact-json.ts";
import { shorten } from "../answer/shorten.ts";
import { stepPlace } from "./step-place.ts";

const MOST_KEPT = 1_000;
const MOST_WAITING = 1_000;
const OUTPUT_CHARS = 8_192;
const INPUT_CHARS = 8_192;
const SUBJECT_CHARS = 4_096;
const NAME_CHARS = 200;

export type EvidenceBook = {
  /** Never throws. */
  seen(call: ToolCallRecord): void;
  missing(): MissingEvidence[];
  /** Hashes in the order of the calls, and how many calls have none. Throws what the store threw. */
  kept(): Promise<{ hashes: string[]; dropped: number }>;
};

type Kept = { hash: string; useful: boolean };

export function evidenceBook(opts: {
  cas: Pick<CasStore, "put">;
  requirements: readonly EvidenceRequirement[];
  /** The step's working directory, absolute. */
  cwd: string;
  redact: (text: string) => string;
}): EvidenceBook {
  const { cas, redact } = opts;
  const place = stepPlace(opts.cwd);
  const tally = evidenceTally(opts.requirements);
  const kept: Kept[] = [];
  let dropped = 0;
  let waiting = 0;
  let fault: unknown = null;
  let storing: Promise<void> = Promise.resolve();
  const store = async (text: string, useful: boolean): Promise<void> => {
    try {
      if (fault === null) kept.push({ hash: await cas.put(text), useful });
      if (kept.length > MOST_KEPT && dropOne(kept)) dropped++;
    } catch (thrown) {
      fault = thrown;
    } finally {
      waiting--;
    }
  };
  return {
    seen(call) {
      const record = shortened({ ...call, place: place.placeOf(call) }, redact);
      const useful = tally.note(record);
      // The store cannot keep up with a flood of calls: each is still judged, but some are not stored.
      if (waiting >= MOST_WAITING && !useful) {
        dropped++;
        return;
      }
      waiting++;
      const text = JSON.stringify(record, null, 2);
      storing = storing.then(() => store(text, useful));
    },
    missing() {
      if (!place.wasReplaced()) return tally.missing();
      const seen = "another directory is where the step began";
      return opts.requirements.map((requirement) => ({ requirement, seen }));
    },
    async kept() {
      await storing;
      if (fault !== null) throw fault;
      return { hashes: kept.map(({ hash }) => hash), dropped };
    },
  };
}

/** Removes one from the middle; those that met a requirement stay. */
function dropOne(kept: Kept[]): boolean {
  const middle = kept.findIndex(({ useful }, at) => at >= MOST_KEPT / 2 && !useful);
  if (middle === -1) return false;
  kept.splice(middle, 1);
  return true;
}

/** Its properties in this order, without anything else from the driver: these bytes are stored. */
function shortened(call: ToolCallRecord, redact: (text: string) => string): ToolCallRecord {
  const { ok, exitCode, durationMs, timestamp, cwd, place, subagent, refused } = call;
  return {
    id: shorten(call.id, NAME_CHARS),
    name: shorten(call.name, NAME_CHARS),
    kind: call.kind,
    subject: shorten(redact(call.subject), SUBJECT_CHARS),
    input: shortenedInput(redactJson(call.input, redact)),
    output: shorten(redact(call.output), OUTPUT_CHARS),
    ok,
    exitCode,
    durationMs,
    timestamp,
    ...(cwd === undefined ? {} : { cwd: shorten(redact(cwd), SUBJECT_CHARS) }),
    // The place where most calls are made is left out.
    ...(place === undefined || place === "here" ? {} : { place }),
    ...(subagent === undefined ? {} : { subagent: shorten(subagent, NAME_CHARS) }),
    ...(refused === true ? { refused } : {}),
  };
}

/** An input that is too long becomes its shortened JSON text. */
function shortenedInput(input: JsonValue): JsonValue {
  const text = JSON.stringify(input);
  return text.length <= INPUT_CHARS ? input : shorten(text, INPUT_CHARS);
}
