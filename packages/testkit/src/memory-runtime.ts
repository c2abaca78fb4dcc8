/** The engine's runtime for a workflow, in memory: only what a test needs of it. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  type CasStore,
  type ChildOutcome,
  type ChildRequest,
  type EngineRuntime,
  failure,
  parseJson,
  type StepRequest,
  type StepRoute,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import type { z } from "zod";

/** How a child thread ends, by the name of its workflow. Whatever is left out is filled in. */
export type Children = {
  readonly [workflow: string]: (request: ChildRequest) => Partial<ChildOutcome>;
};

export type MemoryRuntime = EngineRuntime & {
  /** Every step that was entered, in order: its role, edge prompt, location. */
  readonly requests: readonly StepRequest[];
  /** The routes that led to these steps, to questions and to the end, in order. */
  readonly routes: StepRoute[];
  /** Every event that a role emitted. */
  readonly events: readonly AgentEvent[];
};

export function memoryRuntime(parts: {
  cas: CasStore;
  children: Children;
  signal: AbortSignal;
}): MemoryRuntime {
  const { cas, children, signal } = parts;
  const requests: StepRequest[] = [];
  const routes: StepRoute[] = [];
  const events: AgentEvent[] = [];
  let childThreads = 0;
  const shared = { cas, signal, extract: extractFrom(cas) };
  return {
    ...shared,
    directive: null,
    requests,
    routes,
    events,
    enter(request) {
      requests.push(request);
      noteRoute(routes, request);
      return {
        ...shared,
        step: {
          ...request,
          cwd: request.location ?? process.cwd(),
          processTag: "testkit",
          home: join(tmpdir(), "testkit-agents", request.role),
          agent: request.agent ?? null,
        },
        emit: (event) => events.push(event),
        agent: async (name) => {
          throw new Error(`the testkit has no agent ${JSON.stringify(name)}: bind one`);
        },
        runChild: async (child) => childOutcome(children, child, ++childThreads),
      };
    },
  };
}

/** Of a group one route, to the group itself, whatever the order of its members. */
function noteRoute(routes: StepRoute[], { route, group }: StepRequest): void {
  if (route === null) return;
  if (group === undefined) routes.push(route);
  else if (group.index === 0) routes.push({ ...route, to: group.name, prompt: null });
}

function childOutcome(children: Children, request: ChildRequest, place: number): ChildOutcome {
  const run = new Map(Object.entries(children)).get(request.workflow);
  if (run === undefined) throw unknownChild(request.workflow);
  const threadId = `01TESTK1TCH11D${String(place).padStart(12, "0")}`;
  const defaults = {
    threadId,
    returnCode: 0,
    summary: "",
    rootHash: "0".repeat(13),
    lastMeta: {},
    bundleHash: "0".repeat(13),
    usage: null,
  };
  return { ...defaults, ...run(request) };
}

function unknownChild(workflow: string): WorkflowError {
  return new WorkflowError(
    failure(
      "WORKFLOW_NOT_FOUND",
      `no child workflow ${workflow} is set up`,
      "name it in `children`",
    ),
  );
}

/** Handles only what needs no model: content that is JSON, or whose last fenced block is. */
function extractFrom(cas: CasStore): EngineRuntime["extract"] {
  return async <T>(schema: z.ZodType<T>, contentHash: string): Promise<T> => {
    const text = contentOf((await cas.get(contentHash)) ?? "");
    for (const candidate of [text, lastFencedBlock(text)]) {
      const parsed = schema.safeParse(parseJson(candidate));
      if (parsed.success) return parsed.data;
    }
    throw new WorkflowError(
      failure("INVALID_OUTPUT", `content ${contentHash} holds no JSON that fits the schema`, ""),
    );
  };
}

function contentOf(blob: string): string {
  return String(parseJson(/^payload: (.*)$/mu.exec(blob)?.[1] ?? '""'));
}

function lastFencedBlock(text: string): string {
  return [...text.matchAll(/^```(?:json)?\n(.*?)^```/gmsu)].at(-1)?.[1] ?? "";
}
