import type { PersonWait, ThreadCopy, ThreadFacts } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { indexText, parseIndex } from "./export-layout.ts";

/** The fields that are written for every thread. */
const FACTS: Omit<
  ThreadFacts,
  "title" | "promptLine" | "labels" | "usage" | "priority" | "pool" | "needs"
> = {
  ...{ threadId: "01KAJ2Z6PVX0000000000000AB", workflow: "sample", bundleHash: "EYHPV6X8XHTCS" },
  ...{ startHash: "EYHPV6X8XHTCS", head: "EYHPV6X8XHTCS", headSha256: "0".repeat(64) },
  ...{ stepCount: 2, depth: 0, parentThread: null, cwd: "/", limits: { steps: 3 }, agent: null },
  ...{ forkedFrom: null, startedAt: 1, createdAt: 2, updatedAt: 3 },
};
const UNNAMED = { title: null, labels: {} };
const NAMES = { title: "Nightly", labels: { keep: "", team: "core" } };
const ANSWER = { kind: "answer", role: "coder", text: "the \0 second" } as const;
const PROMPT = { kind: "prompt", text: "go on" } as const;
const PERSON: PersonWait = {
  ...{ kind: "person", role: "coder", message: "Good?", form: { type: "object" }, since: 3 },
  ...{ route: null, deadline: 9, assignees: ["alice"] },
};
const QUESTION = { role: "coder", message: "Which one?" };
const LIMIT = { role: "coder", bound: "steps", limit: 3, used: 3 } as const;

it.each<[string, ThreadCopy, object]>([
  ["is idle", { ...FACTS, ...UNNAMED, status: "idle", pendingInput: null }, {}],
  [
    "was answered",
    { ...FACTS, ...UNNAMED, status: "idle", pendingInput: ANSWER },
    { answer: { role: "coder", text: "the \0 second" } },
  ],
  [
    "is told something",
    { ...FACTS, ...UNNAMED, status: "idle", pendingInput: PROMPT },
    { nextPrompt: "go on" },
  ],
  [
    "asks",
    { ...FACTS, ...UNNAMED, status: "suspended", waits: [QUESTION], pendingInput: null },
    { suspended: QUESTION },
  ],
  [
    "waits for two people",
    {
      ...{ ...FACTS, ...UNNAMED, status: "suspended", pendingInput: null },
      waits: [PERSON, { ...PERSON, member: 1 }],
    },
    { suspended: PERSON, others: [{ ...PERSON, member: 1 }] },
  ],
  [
    "waits at a limit with an answer",
    {
      ...{ ...FACTS, ...UNNAMED, status: "suspended", pendingInput: ANSWER },
      waits: [{ ...QUESTION, kind: "limit", limit: LIMIT }],
    },
    {
      suspended: { ...QUESTION, kind: "limit", limit: LIMIT },
      answer: { role: "coder", text: "the \0 second" },
    },
  ],
  ["has names", { ...FACTS, ...NAMES, status: "idle", pendingInput: null }, NAMES],
  [
    "failed",
    { ...FACTS, ...UNNAMED, status: "failed", returnCode: 1, summary: "no" },
    { returnCode: 1, summary: "no" },
  ],
])("writes every field of a thread that %s, and reads it back", (_, thread, said) => {
  const text = indexText({ threads: [thread], bundles: [], files: [] });
  const nothing = { returnCode: null, summary: null, suspended: null, answer: null };
  const written = { ...FACTS, status: thread.status, ...nothing, ...said };
  expect(JSON.parse(text)).toEqual({
    ...{ format: "uncaged-workflow-thread", version: 1, bundles: [], threads: [written] },
  });
  expect(parseIndex(text)).toEqual({
    ok: true,
    value: { threads: [thread], bundles: [], files: [] },
  });
});
