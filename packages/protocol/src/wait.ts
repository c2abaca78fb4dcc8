import type { GroupJoin, StepGroup } from "./group.ts";
import type { JsonObject } from "./json.ts";
import type { ReachedLimit } from "./limits.ts";
import type { StepRoute } from "./step-run.ts";

/** What a suspended thread waits for: an answer to its last role (`SUSPEND`), a higher limit, or a person who plays
 *  a role. */
export type Wait = RoleWait | PersonWait;

/** A role's question, whose answer goes to that role; of kind `limit`, a limit that has to be raised; of kind
 *  `coordinator`, a worker that has done what it was asked and may be told to go on, as long as its coordinator works. */
export type RoleWait = {
  role: string;
  message: string;
  kind?: "limit" | "coordinator";
  /** For a `limit`: which one. Left out in what older versions wrote. */
  limit?: ReachedLimit;
};

/** A person who plays a role: the answer becomes that role's step. */
export type PersonWait = {
  kind: "person";
  role: string;
  /** What the person is asked: the edge's prompt, filled in. */
  message: string;
  /** JSON Schema (draft 2020-12) of the role's meta, which an answer has to fit. */
  form: JsonObject;
  /** The rule that led to the person; null when the workflow function is written by hand. */
  route: StepRoute | null;
  /** When the person was asked. Unix milliseconds. */
  since: number;
  /** After this the role has failed with outcome `timeout`. Unix milliseconds; null: never. */
  deadline: number | null;
  /** Who is asked to answer: names or groups. Empty: anybody. */
  assignees: readonly string[];
  /** Index of the member in its group; left out when the role is no member of a group. */
  member?: number;
  /** The group of that member. */
  group?: AskingGroup;
  /** A step that is under way asks whether it may do something: the answer lets it continue, and is not a step. */
  permission?: true;
};

/** What a person is asked while somebody runs the thread. What a step asks that is under way ends with the lease of its
 *  thread's owner; what members of a group are asked does not. */
export type Ask = { threadId: string; fence: number; wait: PersonWait };

/** What a person said to an ask. `at`: Unix milliseconds. */
export type AskAnswer = { meta: JsonObject; user: string; at: number };

/** A person who was asked as a member of a group. `answer`: null as long as there is none. */
export type AskedMember = { wait: PersonWait; answer: AskAnswer | null };

/** A group whose member a person plays, with what tells whether an answer lets it join. */
export type AskingGroup = Omit<StepGroup, "index"> & { join: GroupJoin };

/** All that a suspended thread waits for: at least one thing. More than one only when each is a person. */
export type Waits = readonly [Wait, ...Wait[]];

export function isPersonWait(wait: Wait): wait is PersonWait {
  return wait.kind === "person";
}
