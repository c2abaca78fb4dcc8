/** What a person writes in place of agents: for each role its results in order, or rules that produce them.
 *
 *      planner:
 *        - { status: planned, phases: [] }      # the first time; the next time, the next item
 *      coder:
 *        rules:                                 # every time: the first rule whose condition holds
 *          - { when: "byRole.coder.count > 1", meta: { completedPhase: null } }
 *          - { meta: { completedPhase: EYHPV6X8XHTCS } }
 *      reviewer:
 *        - { $fails: timeout }                  # the role fails: a rule for that applies */
import { checkRule } from "@uncaged/workflow-moderator";
import {
  AGENT_FAULTS,
  type AgentFault,
  err,
  type Failure,
  failure,
  type JsonObject,
  ok,
  type Result,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import { parseWith } from "../storage/parse-with.ts";

type StubTurn = { kind: "meta"; meta: JsonObject } | { kind: "fails"; outcome: AgentFault };

/** The path of a turn in the file: `coder[0]`, `coder.rules[1].meta`. */
export type PlacedTurn = StubTurn & { place: string };

type RoleStubs =
  | { kind: "turns"; turns: readonly PlacedTurn[] }
  /** `when` null always holds. */
  | { kind: "rules"; rules: readonly { when: string | null; turn: PlacedTurn }[] };

export type Stubs = ReadonlyMap<string, RoleStubs>;

/** Parses YAML or JSON. `USAGE`, naming `what` and the place in it, for anything else. */
export async function parseStubs(text: string, what: string): Promise<Result<Stubs, Failure>> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined)
    return err(usageFailure(`${what}: ${fault.message.replaceAll("\n", " ")}`));
  const parsed = parseWith(rolesSchema, document.toJS({ maxAliasCount: 100 }), "USAGE", what);
  if (!parsed.ok) return err(usageFailure(parsed.error.message));
  const stubs = new Map<string, RoleStubs>();
  for (const [role, given] of Object.entries(parsed.value)) {
    const read = Array.isArray(given)
      ? turnsOf(role, given, `${what}: ${role}`)
      : rulesOf(role, given, `${what}: ${role}`);
    if (!read.ok) return err(usageFailure(read.error.message));
    stubs.set(role, read.value);
  }
  return ok(stubs);
}

/** Every turn in the stubs, in file order. */
export function turnsIn(stubs: Stubs): { role: string; turn: PlacedTurn }[] {
  return [...stubs].flatMap(([role, given]) =>
    (given.kind === "turns" ? given.turns : given.rules.map(({ turn }) => turn)).map((turn) => ({
      role,
      turn,
    })),
  );
}

const HINT =
  "write for each role a list of its results, or rules: a list of { when, meta }; see docs/testing-workflows.md";

const meta = z.record(z.string(), z.unknown()).transform((value, { addIssue }) => {
  const json = toJsonObject(value);
  if (json !== null) return json;
  addIssue({ code: "custom", message: "is not plain JSON" });
  return z.NEVER;
});
const fault = z.enum(AGENT_FAULTS);
const failsSchema = z.strictObject({ $fails: fault });
const ruleSchema = z
  .strictObject({
    when: z.string().nullable().default(null),
    meta: meta.optional(),
    $fails: fault.optional(),
  })
  .refine(({ meta, $fails }) => (meta === undefined) !== ($fails === undefined), {
    message: "a rule returns either meta or $fails",
  });
const rulesSchema = z.strictObject({ rules: z.array(ruleSchema) });
const rolesSchema = z.record(z.string(), z.union([z.array(z.unknown()), z.looseObject({})]));

function turnsOf(
  role: string,
  given: readonly unknown[],
  what: string,
): Result<RoleStubs, Failure> {
  const turns: PlacedTurn[] = [];
  for (const [at, each] of given.entries()) {
    const turn = turnOf(each, { place: `${role}[${at}]`, what: `${what}[${at}]` });
    if (!turn.ok) return turn;
    turns.push(turn.value);
  }
  return ok({ kind: "turns", turns });
}

function turnOf(
  given: unknown,
  { place, what }: { place: string; what: string },
): Result<PlacedTurn, Failure> {
  if (typeof given === "object" && given !== null && "$fails" in given) {
    const failed = parseWith(failsSchema, given, "USAGE", what);
    return failed.ok ? ok(failing(failed.value.$fails, place)) : failed;
  }
  const gave = parseWith(meta, given, "USAGE", what);
  return gave.ok ? ok(giving(gave.value, place)) : gave;
}

function rulesOf(role: string, given: unknown, what: string): Result<RoleStubs, Failure> {
  const parsed = parseWith(rulesSchema, given, "USAGE", what);
  if (!parsed.ok) return parsed;
  const rules: { when: string | null; turn: PlacedTurn }[] = [];
  for (const [at, { when, meta, $fails }] of parsed.value.rules.entries()) {
    const place = `${role}.rules[${at}]`;
    const broken = when === null ? null : checkRule(when);
    if (broken !== null) return err(usageFailure(`${what}.rules[${at}].when: ${broken.message}`));
    if ($fails !== undefined) rules.push({ when, turn: failing($fails, place) });
    else if (meta !== undefined) rules.push({ when, turn: giving(meta, `${place}.meta`) });
  }
  return ok({ kind: "rules", rules });
}

function failing(outcome: AgentFault, place: string): PlacedTurn {
  return { kind: "fails", outcome, place };
}

function giving(given: JsonObject, place: string): PlacedTurn {
  return { kind: "meta", meta: given, place };
}

function usageFailure(message: string): Failure {
  return failure("USAGE", message, HINT);
}
