/** Contents of an export, in this order: a tar file whose bytes are a function of the thread alone.
 *
 *      thread.json                      which threads, their status, which bundles
 *      bundles/<hash>/bundle.esm.js     of each bundle, by hash
 *      bundles/<hash>/descriptor.json
 *      cas/<hash>.txt                   every node that the threads reach, by hash
 *      files/<n>.bundle                 if asked for: the files of the steps, of each repository in `thread.json`
 *      SHA256SUMS                       of all the others, as `sha256sum -c` reads it
 *
 *  There is exactly one way to write each thread, and readers accept no other. Only bundles may differ: git packs the
 *  same files in more than one way. */
import { canonicalJson } from "@uncaged/workflow-cas";
import {
  copiedFacts,
  endingOf,
  err,
  type Failure,
  failure,
  HASH_PATTERN,
  LABEL_KEY_PATTERN,
  LABEL_VALUE_PATTERN,
  MAX_UNIX_MS,
  parseJson,
  pendingInputOf,
  type Result,
  ROLE_NAME_PATTERN,
  THREAD_ID_PATTERN,
  type ThreadCopy,
  TITLE_PATTERN,
  WORKFLOW_NAME_PATTERN,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { threadLimitsSchema, waitSchema } from "@uncaged/workflow-protocol/schemas";
import { z } from "zod";
import { parseWith } from "../storage/parse-with.ts";

export const INDEX_ENTRY = "thread.json";
export const SUMS_ENTRY = "SHA256SUMS";

type ExportedBundle = {
  hash: string;
  /** SHA-256 (hex) of its bytes. */
  sha256: string;
  /** Version of the bundler that made it; null when unknown. */
  rolldown: string | null;
};

export type ExportIndex = {
  /** The exported thread first, then the child threads of its steps, in the order of the steps. */
  threads: readonly [ThreadCopy, ...ThreadCopy[]];
  /** By hash. */
  bundles: readonly ExportedBundle[];
  /** Repositories whose files it has, by path; empty: it has none. */
  files: readonly ExportedFiles[];
};

export type ExportedFiles = {
  /** As the steps name it. */
  repository: string;
  objectFormat: "sha1" | "sha256";
};

export function filesEntry(at: number): string {
  return `files/${at}.bundle`;
}

export function blobEntry(hash: string): string {
  return `cas/${hash}.txt`;
}

export function bundleEntries(hash: string): { code: string; descriptor: string } {
  return { code: `bundles/${hash}/bundle.esm.js`, descriptor: `bundles/${hash}/descriptor.json` };
}

export function indexText({ threads, bundles, files }: ExportIndex): string {
  const plain = JSON.parse(
    JSON.stringify({
      format: FORMAT,
      version: VERSION,
      threads: threads.map(writtenThread),
      bundles,
      ...(files.length === 0 ? {} : { files }),
    }),
  );
  return `${canonicalJson(plain)}\n`;
}

export function sumLine(entry: string, sha256: string): string {
  return `${sha256}  ${entry}\n`;
}

/** `EXPORT_INVALID` for anything that `indexText` did not write. */
export function parseIndex(text: string): Result<ExportIndex, Failure> {
  const parsed = parseWith(indexSchema, parseJson(text), "EXPORT_INVALID", INDEX_ENTRY);
  if (!parsed.ok || indexText(parsed.value) === text) return parsed;
  return err(failure("EXPORT_INVALID", `${INDEX_ENTRY} is not written as an export writes it`, ""));
}

const FORMAT = "uncaged-workflow-thread";
const VERSION = 1;

const hash = z.string().regex(HASH_PATTERN);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const threadId = z.string().regex(THREAD_ID_PATTERN);
const roleName = z.string().regex(ROLE_NAME_PATTERN);
const wait = waitSchema.and(z.object({ role: roleName }));
const count = z.number().int().nonnegative();
/** Years of four digits: not every tool can read later dates. */
const time = count.max(MAX_UNIX_MS);
const bundler = z.string().max(64).nullable();

/** Left out when there are none. */
const labels = z
  .record(z.string().regex(LABEL_KEY_PATTERN), z.string().regex(LABEL_VALUE_PATTERN))
  .refine((found) => Object.keys(found).length > 0, "it holds no label");

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

// A lone surrogate would become a different text in the index.
const path = z
  .string()
  .regex(/^[^\0]{1,4096}$/s)
  .refine(isWellFormed, "it is not text");

/** A thread as it is written: every field, whatever its status; null where the status has no such field. */
const writtenSchema = z.strictObject({
  threadId,
  workflow: z.string().regex(WORKFLOW_NAME_PATTERN),
  bundleHash: hash,
  startHash: hash,
  head: hash,
  headSha256: sha256,
  status: z.enum(["idle", "suspended", "completed", "failed", "aborted"]),
  stepCount: count,
  depth: count,
  parentThread: threadId.nullable(),
  cwd: path,
  limits: threadLimitsSchema.nullable(),
  agent: z.string().regex(WORKFLOW_NAME_PATTERN).nullable(),
  title: z.string().regex(TITLE_PATTERN).exactOptional(),
  labels: labels.exactOptional(),
  returnCode: z.number().int().min(0).max(255).nullable(),
  summary: z.string().nullable(),
  suspended: wait.nullable(),
  /** What it waits for besides. */
  others: z.array(wait).exactOptional(),
  answer: z.strictObject({ role: roleName, text: z.string() }).nullable(),
  nextPrompt: z.string().exactOptional(),
  forkedFrom: z.strictObject({ threadId, stateHash: hash }).nullable(),
  startedAt: time,
  createdAt: time,
  updatedAt: time,
});
type WrittenThread = z.infer<typeof writtenSchema>;

function writtenThread(thread: ThreadCopy): WrittenThread {
  const { returnCode, summary } = endingOf(thread) ?? { returnCode: null, summary: null };
  const input = pendingInputOf(thread);
  const [suspended = null, ...others] = waitsOf(thread);
  const { title, labels, ...facts } = copiedFacts(thread);
  return {
    ...facts,
    ...(title === null ? {} : { title }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    status: thread.status,
    returnCode,
    summary,
    suspended,
    ...(others.length === 0 ? {} : { others }),
    answer: input?.kind === "answer" ? { role: input.role, text: input.text } : null,
    ...(input?.kind === "prompt" ? { nextPrompt: input.text } : {}),
  };
}

/** null: it fits no status. */
function threadIn(written: WrittenThread): ThreadCopy | null {
  const { status, returnCode, summary, suspended, others = [], answer, nextPrompt } = written;
  if (answer !== null && nextPrompt !== undefined) return null;
  const prompt = nextPrompt === undefined ? null : { kind: "prompt" as const, text: nextPrompt };
  const pendingInput = answer === null ? prompt : { kind: "answer" as const, ...answer };
  const { title = null, labels = {} } = written;
  const facts = copiedFacts({ ...written, title, labels });
  if (status !== "idle" && status !== "suspended") {
    if (returnCode === null || summary === null) return null;
    if (suspended !== null || others.length > 0 || pendingInput !== null) return null;
    return { ...facts, status, returnCode, summary };
  }
  if (returnCode !== null || summary !== null) return null;
  if (suspended !== null && status === "suspended")
    return { ...facts, status, waits: [suspended, ...others], pendingInput };
  if (suspended !== null || others.length > 0 || status === "suspended") return null;
  return { ...facts, status, pendingInput };
}

const threadSchema: z.ZodType<ThreadCopy> = writtenSchema.transform((written, ctx) => {
  const thread = threadIn(written);
  if (thread !== null) return thread;
  const message = `what it says of thread ${written.threadId} does not fit its status, ${written.status}`;
  ctx.addIssue({ code: "custom", message });
  return z.NEVER;
});

const indexSchema: z.ZodType<ExportIndex> = z
  .strictObject({
    format: z.literal(FORMAT),
    version: z.literal(VERSION),
    threads: z.tuple([threadSchema], threadSchema),
    bundles: z.array(z.strictObject({ hash, sha256, rolldown: bundler })),
    files: z
      .array(z.strictObject({ repository: path, objectFormat: z.enum(["sha1", "sha256"]) }))
      .min(1)
      .optional(),
  })
  .transform(({ threads, bundles, files = [] }) => ({ threads, bundles, files }));
