import { ANSWERS } from "./answers.ts";
import type { Behaviour } from "./behaviour.ts";
import { COORDINATING } from "./coordinating.ts";
import { FAILURES } from "./failures.ts";
import { RULES } from "./rules.ts";
import { SESSIONS } from "./sessions.ts";
import { STOPS } from "./stops.ts";

/** The columns of the table. */
export const BEHAVIOURS: readonly Behaviour[] = [
  ...ANSWERS,
  ...FAILURES,
  ...RULES,
  ...COORDINATING,
  ...SESSIONS,
  ...STOPS,
];
