import {
  LABEL_KEY_PATTERN,
  LABEL_VALUE_PATTERN,
  PLACE_NAME_PATTERN,
  TITLE_PATTERN,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { threadLimits } from "./limits.ts";
import {
  background,
  byId,
  count,
  hash,
  json,
  none,
  noPath,
  status,
  stepGroup,
  text,
  unixMs,
  usage,
  word,
} from "./parts.ts";
import { outcome, run, worker } from "./steps.ts";
import { activity, threadRow } from "./thread-row.ts";
import { queuePlace, wait } from "./wait.ts";

const placeName = z.string().regex(PLACE_NAME_PATTERN);

const labels = z.record(
  z.string().regex(LABEL_KEY_PATTERN),
  z.string().regex(new RegExp(LABEL_VALUE_PATTERN.source, "u")),
);

const threadHead = z
  .object({
    threadId: text,
    title: text.nullable(),
    labels: z.record(text, text),
    usage: usage.nullable(),
    workflow: text,
    bundleHash: text,
    status,
    stale: z.boolean(),
    head: hash,
    queue: queuePlace.nullable(),
    priority: z.number().int(),
    pool: text,
    needs: z.array(text),
    start: z.object({
      hash,
      prompt: text,
      timestamp: unixMs,
      depth: count,
      parentState: text.nullable(),
    }),
    upgrades: z.array(
      z.object({ afterRound: count, from: text, to: text, stateHash: hash, timestamp: unixMs }),
    ),
    suspended: wait.nullable(),
    waits: z.array(wait),
    result: z
      .object({
        returnCode: z.number().int(),
        summary: text,
        rootHash: hash,
        value: json.exactOptional(),
        error: text.exactOptional(),
      })
      .nullable(),
    end: z.object({ run: run.nullable() }).nullable(),
    unrecorded: z.array(z.object({ role: text.nullable(), usage })),
    forkedFrom: z.object({ threadId: text, stateHash: hash }).nullable(),
    cwd: text,
    activity: activity.nullable(),
    workers: z.array(worker).exactOptional(),
    stepCount: count,
    createdAt: unixMs,
    updatedAt: unixMs,
    parentThread: text.nullable(),
    limits: threadLimits.nullable(),
    agent: text.nullable(),
  })
  .meta({ id: "ThreadHead" });

const threadIndex = z
  .object({
    threadId: text,
    head: hash,
    stepCount: count,
    columns: z.object({
      role: z.array(text),
      outcome: z.array(outcome),
      status: z.array(text.nullable()),
      stateHash: z.array(hash),
      timestamp: z.array(unixMs),
      durationMs: z.array(z.number().nullable()),
      agent: z.array(text.nullable()),
      tokens: z.array(count.nullable()),
      costUsd: z.array(z.number().nullable()),
      condition: z.array(text.nullable()),
      from: z.array(text.nullable()),
      evidence: z.array(count),
      files: z.array(z.boolean()),
      childThread: z.array(text.nullable()),
      group: z.array(stepGroup.nullable()),
    }),
  })
  .meta({ id: "ThreadIndex" });

export const THREADS: SchemasOf<
  "listThreads" | "startThread" | "showThread" | "threadIndex" | "inbox"
> = {
  listThreads: {
    path: none,
    query: z.strictObject({
      status: status.exactOptional(),
      workflow: word.exactOptional(),
      q: z.string().max(500).exactOptional(),
      label: z.string().max(1_000).exactOptional(),
      since: z
        .string()
        .regex(/^[0-9]{1,15}$/)
        .exactOptional(),
      after: word.exactOptional(),
      limit: z
        .string()
        .regex(/^[1-9][0-9]{0,2}$/)
        .exactOptional(),
    }),
    body: null,
    response: z.object({ threads: z.array(threadRow), next: text.nullable() }),
  },
  startThread: {
    ...noPath,
    body: z.strictObject({
      workflow: word,
      prompt: z.string().min(1),
      cwd: z.string().min(1).exactOptional(),
      title: z.string().regex(new RegExp(TITLE_PATTERN.source, "u")).exactOptional(),
      labels: labels.exactOptional(),
      limits: threadLimits.exactOptional(),
      priority: z.number().int().min(-1_000_000).max(1_000_000).exactOptional(),
      pool: placeName.exactOptional(),
      needs: z.array(placeName).max(32).exactOptional(),
      run: z.union([background, z.strictObject({ notBefore: unixMs.nullable() })]).exactOptional(),
    }),
    response: z.object({ threadId: text, queue: queuePlace.exactOptional() }),
  },
  showThread: { ...byId, body: null, response: threadHead },
  threadIndex: { ...byId, body: null, response: threadIndex },
  inbox: {
    path: none,
    query: z.strictObject({ workflow: word.exactOptional() }),
    body: null,
    response: z.object({ threads: z.array(threadRow) }),
  },
};
