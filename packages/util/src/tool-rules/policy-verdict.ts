import type { ToolCallRecord, ToolPolicy, ToolRule } from "@uncaged/workflow-protocol";
import { lineOfWords } from "./command-forms.ts";
import { allowsLine, deniesLine } from "./command-rule.ts";
import { matchesName, matchesPattern } from "./linear-pattern.ts";

/** What a policy looks at. */
export type PolicyCall = Pick<ToolCallRecord, "name" | "kind" | "subject">;

export type PolicyVerdict = {
  allowed: boolean;
  /** One sentence, also for the agent: which rule decided. */
  reason: string;
  /** A person is to decide. Who cannot ask one takes it as a no. */
  asks?: true;
};

/** Whether a role may make this call. Never throws, and fails closed: a `deny` rule that cannot be read refuses, an
 *  `allow` rule that cannot be read allows nothing; an `ask` rule that cannot be read asks. No policy allows everything. An unknown tool (`other`) may
 *  write, and reach the network: where edits or the network are denied it is denied too, unless an `allow` rule names it. */
export function policyVerdict(policy: ToolPolicy | null, call: PolicyCall): PolicyVerdict {
  const { allow, deny = [], ask = [], network = true } = policy ?? {};
  if (!network && (call.kind === "fetch" || WEB_SEARCH.test(call.name)))
    return { allowed: false, reason: `${call.name} is denied to this role: ${NO_NETWORK}` };
  for (const rule of deny) {
    const denied = denies(rule, call);
    if (denied === false) continue;
    const why =
      denied === true
        ? `${call.name} is denied to this role by ${ruleWords(rule)}`
        : `${call.name} is denied to this role: ${ruleWords(rule)} cannot be held against it; write it as one plain command`;
    return { allowed: false, reason: why };
  }
  const allowed = allow?.find((rule) => allows(rule, call));
  if (call.kind === "other" && (allowed === undefined || !isNamed(allowed))) {
    const edits = deny.find(isAboutEdits);
    const why = [
      ...(edits === undefined ? [] : [`it may change files, and ${ruleWords(edits)} denies that`]),
      ...(network ? [] : [`nobody knows what it reaches, and ${NO_NETWORK}`]),
    ];
    if (why.length > 0)
      return { allowed: false, reason: `${call.name} is denied to this role: ${why.join("; ")}` };
  }
  const asking = ask.find((rule) => denies(rule, call) !== false);
  if (asking !== undefined) {
    const reason = `${call.name} is for a person to allow, by ${ruleWords(asking)}`;
    return { allowed: false, reason, asks: true };
  }
  if (allow === undefined) return { allowed: true, reason: "no rule denies it" };
  if (allowed !== undefined) return { allowed: true, reason: `allowed by ${ruleWords(allowed)}` };
  const plainly =
    call.kind === "execute" && allow.some(({ kind }) => kind === "execute")
      ? "; a command is allowed only by itself: no pipes, lists, substitutions, variables or redirections"
      : "";
  return { allowed: false, reason: `${call.name} is not among what this role may use${plainly}` };
}

/** A model's provider searches for it, over a network that no sandbox cuts: a search, as far as its kind says. */
const WEB_SEARCH = /^(?:google_?)?web_?search$/i;

const NO_NETWORK = "the role may not use the network";

/** Whether a policy leaves any call of kind `execute`, whatever its tool is called and whoever allows it. */
export function leavesCommands({ allow, deny = [], ask = [] }: ToolPolicy): boolean {
  const isDenied = deny.some(
    ({ kind, name = "*", input, command }) =>
      (kind ?? "execute") === "execute" &&
      /^\*+$/.test(name) &&
      input === undefined &&
      command === undefined,
  );
  const isAllowed =
    allow === undefined || [...allow, ...ask].some(({ kind = "execute" }) => kind === "execute");
  return isAllowed && !isDenied;
}

/** A rule in words, for an agent or a person. */
export function ruleWords({ kind, name, input, command }: ToolRule): string {
  const parts = [
    kind === undefined ? null : `kind ${kind}`,
    name === undefined ? null : `name ${name}`,
    command === undefined ? null : `command \`${lineOfWords(command)}\``,
    input === undefined ? null : `input /${input}/`,
  ];
  return `the rule for ${parts.filter((each) => each !== null).join(", ") || "nothing"}`;
}

/** Null: undecidable, because the rule (it names no tool, or its pattern is broken) or the call's subject cannot be
 *  read. */
function denies(rule: ToolRule, call: PolicyCall): boolean | null {
  const about = isAbout(rule, call);
  if (about !== true) return about;
  const { input, command } = rule;
  if (input === undefined && command === undefined) return true;
  if (call.kind === "execute") return deniesLine(rule, call.subject);
  return command === undefined && input !== undefined ? matchesPattern(input, call.subject) : false;
}

function allows(rule: ToolRule, call: PolicyCall): boolean {
  if (isAbout(rule, call) !== true) return false;
  const { input, command } = rule;
  if (input === undefined && command === undefined) return true;
  if (call.kind === "execute") return allowsLine(rule, call.subject);
  return (
    command === undefined && input !== undefined && matchesPattern(input, call.subject) === true
  );
}

/** Null: it names no tool. */
function isAbout({ kind, name }: ToolRule, call: PolicyCall): boolean | null {
  if (kind === undefined && name === undefined) return null;
  if (kind !== undefined && kind !== call.kind) return false;
  return name === undefined || matchesName(name, call.name);
}

function isAboutEdits({ kind }: ToolRule): boolean {
  return kind === "edit" || kind === "delete" || kind === "move";
}

function isNamed({ kind, name }: ToolRule): boolean {
  return kind === "other" || (name !== undefined && /[^*]/.test(name));
}
