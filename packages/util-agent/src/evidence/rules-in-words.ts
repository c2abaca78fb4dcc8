/** A role's rules, in words for its agent: an agent that knows the rules runs into fewer refusals. */
import {
  type CheckRequirement,
  type EvidenceRequirement,
  type RoleRules,
  requiredCalls,
  requiredChecks,
  type ToolRule,
} from "@uncaged/workflow-protocol";
import { lineOfWords } from "@uncaged/workflow-util/tool-rules";

/** Empty when there are no rules. */
export function rulesInWords({ tools, requiredEvidence = [] }: RoleRules, cwd: string): string {
  return [
    evidenceSection(requiredCalls(requiredEvidence), cwd),
    checkSection(requiredChecks(requiredEvidence)),
    toolSection(tools),
  ]
    .filter((each) => each !== "")
    .join("\n\n");
}

function evidenceSection(requirements: readonly EvidenceRequirement[], cwd: string): string {
  if (requirements.length === 0) return "";
  const ofCommands = requirements.some(({ kind }) => kind === "execute") ? [COMMANDS(cwd)] : [];
  const ofEdits = requirements.some(({ after }) => after !== undefined) ? [LAST] : [];
  return [
    "# What has to be seen",
    "Your result is accepted only once this was seen to happen, by your own tool calls in this step:",
    requirements.map(askedFor).join("\n"),
    ...ofCommands,
    ...ofEdits,
  ].join("\n\n");
}

function checkSection(checks: readonly CheckRequirement["check"][]): string {
  if (checks.length === 0) return "";
  return [
    "# What is checked",
    "When you are done, this is run on the files that you leave, in a clean checkout without what is ignored, with the dependencies and with the tests that there were before you began; and it has to fail when a test fails. Your result is accepted only if it succeeds:",
    checks.map(({ command }) => `- \`${lineOfWords(command)}\``).join("\n"),
  ].join("\n\n");
}

function askedFor({ name, kind, input, command, after }: EvidenceRequirement): string {
  const last = after === undefined ? "" : ", after your last change of files";
  if (kind === "execute") {
    const what =
      command === undefined
        ? `a command that matches the regular expression \`${input ?? ""}\``
        : `the command \`${lineOfWords(command)}\``;
    return `- ${name}: ${what}, run with your shell tool and exited 0${last}`;
  }
  return `- ${name}: a successful call of kind ${kind} about what matches the regular expression \`${input ?? ""}\`${last}`;
}

const COMMANDS = (cwd: string): string =>
  `Run such a command in the foreground, in ${cwd}, as a command of its own: no pipe (\`| tail\`), no \`;\` or \`||\`, no output into a file. \`2>&1\`, \`CI=1\` or \`timeout 600\` before it and \`&& echo ok\` after it do no harm.`;

const LAST =
  "After it, look only (`git status`, `git diff`, `ls`, `cat`; committing is fine too). Whatever may change files, a command included, makes it necessary to run it again.";

function toolSection(tools: RoleRules["tools"]): string {
  const { allow, deny = [], ask = [], network = true } = tools ?? {};
  if (allow === undefined && deny.length === 0 && ask.length === 0 && network) return "";
  const lines = [
    ...(allow === undefined ? [] : [`- Only this is allowed: ${listed(allow)}.`]),
    ...(deny.length === 0 ? [] : [`- This is refused: ${listed(deny)}.`]),
    ...(network ? [] : ["- Neither your commands nor your other tools may use the network."]),
    ...(ask.length === 0
      ? []
      : [`- A person is asked before this, which may take long: ${listed(ask)}.`]),
  ];
  return [
    "# What you may use",
    lines.join("\n"),
    "A call that is refused stays refused: do not try it again, or by another way. Do what you can without it, and give your answer in any case.",
  ].join("\n\n");
}

function listed(rules: readonly ToolRule[]): string {
  return rules.length === 0 ? "nothing" : rules.map(described).join("; ");
}

function described({ kind, name, input, command }: ToolRule): string {
  const tool = [
    kind === undefined ? null : `tools of kind ${kind}`,
    name === undefined ? null : `the tool ${name}`,
  ].filter((each) => each !== null);
  const about = [
    command === undefined ? null : `for the command \`${lineOfWords(command)}\``,
    input === undefined ? null : `for what matches \`${input}\``,
  ].filter((each) => each !== null);
  return [tool.join(", "), ...about].join(" ");
}
