/** Checks the tool policies and required evidence of roles: a rule that cannot be read protects nothing. */
import { checkPattern } from "@uncaged/workflow-moderator";
import {
  CANARY_PRESETS,
  type CheckRequirement,
  type EvidenceRequirement,
  type RoleMeta,
  type RoleRules,
  TOOL_KINDS,
  type ToolRule,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";
import { keysOf } from "./keys-of.ts";

/** Faults, each with its place: `roles.reviewer.tools.deny[0].input: …`. */
export function* toolFaults<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): Generator<string> {
  for (const role of keysOf(definition.roles)) {
    const { tools, requiredEvidence = [] }: RoleRules = definition.roles[role];
    for (const list of ["allow", "deny", "ask"] as const) {
      for (const [at, rule] of (tools?.[list] ?? []).entries()) {
        yield* ruleFaults(rule, `roles.${role}.tools.${list}[${at}]`);
      }
    }
    const { askTimeoutMs = 1, network = true } = tools ?? {};
    if (typeof network !== "boolean") yield `roles.${role}.tools.network: must be true or false`;
    if (!Number.isSafeInteger(askTimeoutMs) || askTimeoutMs < 1)
      yield `roles.${role}.tools.askTimeoutMs: must be a whole number above 0`;
    for (const [at, requirement] of requiredEvidence.entries()) {
      const place = `roles.${role}.requiredEvidence[${at}]`;
      if ("check" in requirement) {
        yield* checkFaults(requirement, `${place}.check`);
        yield* approverFaults(requirement, { role, roles: keysOf(definition.roles), place });
      } else yield* requirementFaults(requirement, place);
    }
  }
}

function* ruleFaults({ kind, name, input, command }: ToolRule, place: string): Generator<string> {
  if (kind === undefined && name === undefined) {
    yield `${place}: says neither \`kind\` nor \`name\`, so it applies to no tool`;
  }
  if (kind !== undefined) yield* kindFaults(kind, place);
  if (name === "") yield `${place}.name: is empty; "*" stands for any characters`;
  if (input !== undefined) yield* patternFaults(input, place);
  if (command !== undefined) yield* commandFaults({ kind, command }, place);
}

function* requirementFaults(
  { name, kind, input, command, after }: EvidenceRequirement,
  place: string,
): Generator<string> {
  if (name === "") yield `${place}.name: is empty, so the agent cannot be told what is missing`;
  yield* kindFaults(kind, place);
  if (input === undefined && command === undefined) {
    yield `${place}.input: is missing; say \`input\`, or of kind execute \`command\``;
  }
  if (input !== undefined && command !== undefined) {
    yield `${place}.command: there is an \`input\` as well; give only one of them`;
  }
  if (input !== undefined) yield* patternFaults(input, place);
  if (command !== undefined) yield* commandFaults({ kind, command }, place);
  if (after !== undefined && after !== "last_edit") {
    yield `${place}.after: "${String(after)}" is not "last_edit"`;
  }
}

function* checkFaults({ check }: CheckRequirement, place: string): Generator<string> {
  const { command, setup, canary, timeoutMs = 1, variables = {} } = check;
  for (const [name, words] of Object.entries({ command, setup })) {
    if (words !== undefined && !isWords(words))
      yield `${place}.${name}: must be the words of a command, such as ["npm", "test"]`;
  }
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1)
    yield `${place}.timeoutMs: must be a whole number above 0`;
  for (const name of Object.keys(variables))
    if (!/^[A-Za-z_]\w*$/.test(name) || PLACES.has(name))
      yield `${place}.variables.${name}: cannot be set for a check`;
  const presets: readonly string[] = [...CANARY_PRESETS, "none"];
  if (typeof canary === "string" && !presets.includes(canary))
    yield `${place}.canary: "${canary}" is none of ${presets.join(", ")}`;
  if (typeof canary === "object" && /^\/|(?:^|\/)\.\.?(?:\/|$)|^$/.test(canary.path))
    yield `${place}.canary.path: must be a path from the root of the repository`;
}

/** The check decides where these are. */
const PLACES: ReadonlySet<string> = new Set(["PATH", "HOME", "TMPDIR"]);

function* approverFaults(
  { check: { approver } }: CheckRequirement,
  { role, roles, place }: { role: string; roles: readonly string[]; place: string },
): Generator<string> {
  if (approver?.length === 0) yield `${place}.check.approver: names nobody; leave it out`;
  for (const [at, name] of (approver ?? []).entries()) {
    if (name === role)
      yield `${place}.check.approver[${at}]: a role cannot approve what it changed itself`;
    else if (!roles.includes(name))
      yield `${place}.check.approver[${at}]: "${name}" is no role of the workflow`;
  }
}

function isWords(words: readonly unknown[]): boolean {
  return words.length > 0 && words.every((word) => typeof word === "string" && word !== "");
}

function* commandFaults(
  { kind, command }: { kind: string | undefined; command: readonly string[] },
  place: string,
): Generator<string> {
  if (kind !== "execute") yield `${place}.command: applies only to calls of kind execute`;
  if (!isWords(command)) {
    yield `${place}.command: must be the words of a command, such as ["npm", "test"]`;
  }
  if (command[0] === "*") yield `${place}.command: "*" stands for further words, at the end`;
}

function* kindFaults(kind: string, place: string): Generator<string> {
  const known: readonly string[] = TOOL_KINDS;
  if (!known.includes(kind)) yield `${place}.kind: "${kind}" is none of ${known.join(", ")}`;
}

function* patternFaults(pattern: string, place: string): Generator<string> {
  const fault = checkPattern(pattern);
  if (fault !== null) yield `${place}.input: ${fault.message}`;
}
