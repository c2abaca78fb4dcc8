/** The parts of the skills that the program generates about itself, as Markdown. */
import { EXIT, type ExitKind } from "@uncaged/workflow-protocol";
import type { NamedCommand } from "../command/command-tree.ts";

/** Every command with its arguments and options. */
export function commandReference(commands: readonly NamedCommand[]): string {
  return commands.map(entry).join("");
}

function entry({ path, command }: NamedCommand): string {
  const words = [
    "uncaged-workflow",
    ...path,
    ...command.arguments.map(({ declaration }) => declaration),
  ];
  const details = [
    ...command.arguments.map(
      ({ declaration, description }) => `  - \`${declaration}\`: ${description}\n`,
    ),
    ...command.options.map(({ flags, description }) => `  - \`${flags}\`: ${description}\n`),
  ];
  return `- \`${words.join(" ")}\`: ${command.description}\n${details.join("")}`;
}

export function exitCodeTable(): string {
  const rows = Object.entries(MEANINGS).map(
    ([kind, meaning]) => `| ${codeOf(kind)} | ${meaning} |\n`,
  );
  return `| code | meaning |\n|---|---|\n${rows.join("")}`;
}

const MEANINGS: { readonly [K in ExitKind]: string } = {
  success: "done",
  failure: "it failed; the error says why",
  usage: "the call was wrong: correct it before trying again",
  invalidTransition: "the thread's status does not allow this",
  git: "git failed",
  storage: "storage is broken or damaged: `uncaged-workflow doctor`",
  conflict: "somebody else holds it: try again later",
  waitsForPerson: "the thread waits for a person's answer",
  aborted: "aborted",
};

function codeOf(kind: string): number {
  return Object.entries(EXIT).find(([known]) => known === kind)?.[1] ?? EXIT.failure;
}
