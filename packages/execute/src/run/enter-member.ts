/** A member of a group while it runs. */
import {
  type AgentCall,
  AgentError,
  agentFaultOf,
  type EngineRuntime,
  failedRunOf,
  failure,
  memberRequest,
  type RoleOutput,
  type StepGroup,
  type StepRun,
  type StepScope,
  sumUsage,
  type Usage,
} from "@uncaged/workflow-protocol";
import { ABORT_GRACE_MS } from "./next-turn.ts";

export type EnteredMember = {
  step: Pick<StepScope, "role"> & { route: NonNullable<StepScope["route"]> | null };
  done: Promise<RoleOutput>;
  /** Resolves when it has not reacted to being told to stop. */
  abandoned: Promise<unknown>;
  /** Tells it to stop. */
  end: (why: string) => void;
  readonly isEnded: boolean;
  /** What is stored for a member that was ended. */
  cancelled: (thrown: unknown) => RoleOutput;
};

/** Enters a member's step and runs it. */
export function enterMember(
  runtime: EngineRuntime,
  call: AgentCall,
  place: StepGroup,
): EnteredMember {
  const request = memberRequest(call, place);
  const { role, route } = request;
  const entered = runtime.enter(request);
  const ending = new AbortController();
  const { promise: abandoned, resolve: abandon } = Promise.withResolvers<unknown>();
  const meter = usageMeter(entered.step.cwd);
  const scoped = {
    ...entered,
    signal: AbortSignal.any([entered.signal, ending.signal]),
    emit: (event: Parameters<typeof entered.emit>[0]): void => {
      meter.note(event);
      entered.emit(event);
    },
  };
  let grace: NodeJS.Timeout | undefined;
  const begin = async (): Promise<RoleOutput> => {
    await entered.ready;
    return call.run(scoped);
  };
  const done = begin().finally(() => clearTimeout(grace));
  return {
    step: { role, route },
    done,
    abandoned,
    end: (why) => {
      const reason = new AgentError(failure("THREAD_ABORTED", why, ""), {
        outcome: "cancelled",
        run: null,
      });
      ending.abort(reason);
      grace = setTimeout(abandon, ABORT_GRACE_MS, reason);
    },
    get isEnded() {
      return ending.signal.aborted;
    },
    cancelled: (thrown) => {
      const reason: unknown = ending.signal.reason;
      const why = reason instanceof Error ? reason.message : String(reason);
      return {
        role,
        meta: { outcome: "cancelled", reason: why },
        content: `cancelled: ${why}`,
        route,
        run: failedRunOf(agentFaultOf(thrown)?.run) ?? meter.record(),
        outcome: "cancelled",
      };
    },
  };
}

/** The usage that a member's events reported, in case it is ended before its result does. */
function usageMeter(cwd: string): {
  note: (event: { type: string; agent?: string; session?: string | null; usage?: Usage }) => void;
  record: () => StepRun | null;
} {
  const startedAt = Date.now();
  let agent = { name: "unknown", version: "" };
  let session: string | null = null;
  let usage: Usage | null = null;
  return {
    note: (event) => {
      if (event.type === "started" && event.agent !== undefined) {
        agent = { name: event.agent, version: "" };
        session = event.session ?? null;
      }
      if (event.usage !== undefined) usage = sumUsage(usage, event.usage);
    },
    record: () => {
      if (usage === null) return null;
      const completedAt = Date.now();
      return { agent, session, prompt: null, startedAt, completedAt, usage, cwd, evidence: [] };
    },
  };
}
