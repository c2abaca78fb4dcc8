/** What the parts of a node must look like. Written by hand: a schema library would add to every command's start-up
 *  time, and multiply the time to parse long chains. Unknown fields are allowed, so that older readers can read what
 *  newer writers add. */
import {
  AGENT_FAULTS,
  type CasNode,
  err,
  isHash,
  isThreadId,
  MAX_UNIX_MS,
  ok,
  PROOF_STATES,
  type Result,
  type StartPayload,
  type StatePayload,
  toJsonObject,
} from "@uncaged/workflow-protocol";

/** The node formed by three parsed values, or what is wrong, such as "payload.role must be a text". */
export function nodeFrom(parts: {
  type: unknown;
  payload: unknown;
  refs: unknown;
}): Result<CasNode, string> {
  const { type, payload, refs } = parts;
  const problems: string[] = [];
  if (!isHashList(refs)) return err("refs must be a list of hashes");
  if (type === "content") {
    if (typeof payload !== "string") return err("payload must be a text");
    return ok({ type, payload, refs });
  }
  if (type === "start") {
    if (!fits<StartPayload>(payload, START_FIELDS, problems)) return err(problems.join("; "));
    if (!startsInOrder(payload, refs)) return err(START_REFS);
    return ok({ type, payload, refs });
  }
  if (type === "state") {
    if (!fits<StatePayload>(payload, STATE_FIELDS, problems)) return err(problems.join("; "));
    if (!statesInOrder(payload, refs)) return err(STATE_REFS);
    return ok({ type, payload, refs });
  }
  return err("type must be content, start or state");
}

const START_REFS = "refs must be the prompt, then the parent's state if there is one";
const STATE_REFS = "refs must begin with the content, the start and every ancestor";

function startsInOrder({ parentState }: StartPayload, refs: readonly string[]): boolean {
  if (parentState === null) return refs.length === 1;
  return refs.length === 2 && refs[1] === parentState;
}

/** Garbage collection follows only refs, so everything a state needs must be among them. */
function statesInOrder(payload: StatePayload, refs: readonly string[]): boolean {
  const { content, start, ancestors } = payload;
  if (refs[0] !== content || refs[1] !== start) return false;
  return ancestors.every((ancestor, place) => refs[place + 2] === ancestor);
}

/** A field's test, and what its value must be, as worded in the message. */
type Field = { is: (value: unknown) => boolean; must: string };
type FieldsOf<T> = { readonly [name in keyof Required<T>]: Field };

function fits<T>(value: unknown, fields: FieldsOf<T>, problems: string[]): value is T {
  if (!isRecord(value)) {
    problems.push("payload must be an object");
    return false;
  }
  for (const name in fields) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (!fields[name].is(found)) problems.push(`payload.${name} must be ${fields[name].must}`);
  }
  return problems.length === 0;
}

const text: Field = { is: (value) => typeof value === "string", must: "a text" };
const hash: Field = { is: isHashText, must: "a hash" };
const hashes: Field = { is: isHashList, must: "a list of hashes" };
const count: Field = { is: isCount, must: "a whole number, 0 or more" };
const time: Field = {
  is: (value) => isCount(value) && Number(value) <= MAX_UNIX_MS,
  must: "a time in Unix milliseconds",
};
const digests: Field = { is: isDigests, must: "a map from hashes to SHA-256" };
const meta: Field = {
  is: (value) => toJsonObject(value) !== null,
  must: "an object of plain JSON",
};
const nothing: Field = { is: (value) => value === null, must: "null" };
const thread: Field = {
  is: (value) => typeof value === "string" && isThreadId(value),
  must: "a thread id",
};
const texts: Field = {
  is: (value) => isRecord(value) && Object.values(value).every(text.is),
  must: "a map of texts",
};
const agent: Field = {
  is: (value) =>
    isRecord(value) &&
    text.is(value.name) &&
    text.is(value.version) &&
    optional(text).is(value.binding) &&
    optional(text).is(value.path) &&
    optional(text).is(value.sha256),
  must: "an object with name and version",
};
const usage: Field = {
  is: (value) =>
    isRecord(value) &&
    count.is(value.inputTokens) &&
    count.is(value.outputTokens) &&
    count.is(value.cachedInputTokens) &&
    (value.costUsd === null || typeof value.costUsd === "number") &&
    (value.estimated === undefined || value.estimated === true),
  must: "an object of token counts and a cost",
};
const fault: Field = {
  is: (value) => AGENT_FAULTS.some((known) => known === value),
  must: "a way in which an agent fails",
};
const json: Field = { is: (value) => toJsonObject({ value }) !== null, must: "plain JSON" };
const person: Field = {
  is: (value) =>
    isRecord(value) &&
    orNull(text).is(value.user) &&
    Array.isArray(value.assignees) &&
    value.assignees.every(text.is),
  must: "an object with user and assignees",
};
const notes: Field = {
  is: (value) => Array.isArray(value) && value.every(text.is),
  must: "a list of texts",
};
const route: Field = {
  is: (value) =>
    isRecord(value) &&
    text.is(value.from) &&
    text.is(value.to) &&
    text.is(value.condition) &&
    (value.rule === null || isCount(value.rule)) &&
    (value.prompt === null || text.is(value.prompt)) &&
    optional(text).is(value.promptFrom) &&
    optional(text).is(value.outcome),
  must: "a route",
};

const group: Field = {
  is: (value) =>
    isRecord(value) &&
    text.is(value.name) &&
    count.is(value.entry) &&
    count.is(value.index) &&
    count.is(value.of),
  must: "a place in a group",
};

const isMachine = (value: unknown): boolean =>
  isRecord(value) && text.is(value.id) && text.is(value.name);

const isSaved = (value: unknown): boolean =>
  isRecord(value) &&
  isObjectId(value.commit) &&
  thread.is(value.thread) &&
  orNull(text).is(value.remote) &&
  typeof value.pushed === "boolean" &&
  isMachine(value.machine) &&
  optional(text).is(value.place) &&
  Array.isArray(value.left) &&
  value.left.every(text.is);

const saved: Field = { is: isSaved, must: "how another machine gets the files" };

const startFiles: Field = {
  is: (value) =>
    isSaved(value) &&
    isRecord(value) &&
    isObjectId(value.tree) &&
    orNull(text).is(value.head) &&
    (value.objectFormat === "sha1" || value.objectFormat === "sha256"),
  must: "the files that a thread begins with",
};

const workspace: Field = {
  is: (value) =>
    isRecord(value) &&
    text.is(value.repository) &&
    text.is(value.workTree) &&
    orNull(text).is(value.head) &&
    orNull(text).is(value.branch) &&
    isObjectId(value.before) &&
    isObjectId(value.after) &&
    (value.objectFormat === "sha1" || value.objectFormat === "sha256") &&
    optional(saved).is(value.saved),
  must: "what a role did to a git repository",
};

const proof: Field = {
  is: (value) =>
    isRecord(value) &&
    PROOF_STATES.some((known) => known === value.state) &&
    isObjectId(value.tree) &&
    count.is(value.round),
  must: "what is known of the files that were checked",
};

const START_FIELDS: FieldsOf<StartPayload> = {
  name: text,
  hash,
  depth: count,
  parentState: orNull(hash),
  externals: texts,
  digests,
  files: optional(startFiles),
  staysOn: optional({ is: isMachine, must: "a machine" }),
};

const STATE_FIELDS: FieldsOf<StatePayload> = {
  role: text,
  meta,
  start: hash,
  content: hash,
  ancestors: hashes,
  compact: nothing,
  timestamp: time,
  childThread: orNull(thread),
  digests,
  route: orNull(route),
  agent: optional(agent),
  session: optional(orNull(text)),
  prompt: optional(orNull(hash)),
  startedAt: optional(time),
  completedAt: optional(time),
  usage: optional(orNull(usage)),
  rawUsage: optional(json),
  notes: optional(notes),
  cwd: optional(text),
  evidence: optional(hashes),
  policy: optional({ is: (value) => value === "held", must: '"held"' }),
  isolation: optional({
    is: (value) => value === "bubblewrap" || value === "unshare",
    must: "bubblewrap or unshare",
  }),
  person: optional(person),
  outcome: optional(fault),
  group: optional(group),
  workspace: optional(workspace),
  proof: optional(proof),
};

function orNull({ is, must }: Field): Field {
  return { is: (value) => value === null || is(value), must: `${must} or null` };
}

function optional({ is, must }: Field): Field {
  return { is: (value) => value === undefined || is(value), must };
}

function isHashText(value: unknown): value is string {
  return typeof value === "string" && isHash(value);
}

export function isHashList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isHashText);
}

function isObjectId(value: unknown): boolean {
  return typeof value === "string" && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isDigests(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([key, sum]) => isHash(key) && isSha256(sum));
}

function isSha256(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
