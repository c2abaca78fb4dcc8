import type { z } from "zod";
import type { End, Fallback, Start, Suspend } from "./constants.ts";
import type { Coordinates } from "./coordinates.ts";
import type { RequiredEvidence } from "./evidence.ts";
import type { Group } from "./group.ts";
import type { Limits, RetryPolicy, RuleOutcome } from "./limits.ts";
import type { ToolPolicy } from "./tool-policy.ts";
import type { WorkspaceMode } from "./workspace-mode.ts";

/** Role name → the meta that the role produces. */
export type RoleMeta = { [role: string]: Record<string, unknown> };

/** A role is data: a viewpoint with its prompt and the shape of its result. It never holds an agent. */
export type RoleDefinition<Meta extends Record<string, unknown> = Record<string, unknown>> = {
  description: string;
  systemPrompt: string;
  schema: z.ZodType<Meta>;
  /** Hashes of the artifacts that a result names; all of them must be in the CAS when the step is stored. */
  extractRefs: ((meta: NoInfer<Meta>) => string[]) | null;
} & RoleRules;

/** What a role must obey, whichever agent runs it. */
export type RoleRules = {
  /** Default: every tool. */
  tools?: ToolPolicy | undefined;
  /** Default: none. */
  requiredEvidence?: readonly RequiredEvidence[] | undefined;
  /** A person plays the role, not an agent. Default: an agent does. */
  person?: PersonRules | undefined;
  /** Milliseconds for one run of the role, which then ends as `timeout`: of a person, from the moment the person is
   *  asked. Default: no limit. */
  timeoutMs?: number | undefined;
  /** Default: a failed run is not retried. */
  retry?: RetryPolicy | undefined;
  /** For all runs of the role in one thread together. Default: none. */
  limits?: Limits | undefined;
  /** The role's agent starts workers, and changes no files itself. Default: it does not. */
  coordinates?: Coordinates | undefined;
};

/** Of a role that a person plays. */
export type PersonRules = {
  /** Who is asked to answer: names or groups. Default: anybody. */
  assignees?: readonly string[] | undefined;
};

/** One rule of the table. The first one whose condition holds is taken. */
export type Transition<RoleName extends string = string> = {
  /** `when` is a JSONata expression over `threadId`, `depth`, `start`, `steps`, `last` and `byRole`. */
  condition: Fallback | { name: string; when: string };
  /** How the previous step must have ended for this rule to be tried. Default: only `ok`. `limit`: tried in place of
   *  the others when a limit forbids the step that they lead to. */
  outcomes?: readonly RuleOutcome[];
} & (
  | {
      role: RoleName | End | Suspend;
      /** Handed to the next role (for `SUSPEND`, the question to the person); `{{ jsonata }}` is filled in. */
      prompt?: string;
      /** Working directory of the next role, relative to the thread's; `{{ jsonata }}` is filled in. */
      location?: string;
      group?: never;
    }
  | { group: Group<RoleName>; role?: never; prompt?: never; location?: never }
);

/** The role, the group, `END` or `SUSPEND` that a rule leads to. */
export function targetOf({ role, group }: Transition): string {
  return role ?? group.name;
}

/** An entry for `START`, for each role and for each group. The compiler checks those of the roles. */
export type ModeratorTable<M extends RoleMeta = RoleMeta> = {
  [From in (keyof M & string) | Start]: readonly Transition<keyof M & string>[];
} & { [group: string]: readonly Transition<keyof M & string>[] };

export type WorkflowDefinition<M extends RoleMeta = RoleMeta> = {
  description: string;
  roles: { [K in keyof M & string]: RoleDefinition<M[K]> };
  table: ModeratorTable<NoInfer<M>>;
  /** For the whole thread, its children included. Default: 1,000 steps. */
  limits?: Limits;
  /** What the workflow returns: a JSONata expression over what rules see, evaluated once the thread has completed. */
  result?: string;
  /** Where its threads work. Default: `shared`. */
  workspace?: WorkspaceMode;
};
