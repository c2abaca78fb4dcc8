/** What a role may do, in a form that Codex enforces.
 *
 *  1. Codex has no rule for a single command or path that fails closed. It has a sandbox, which the kernel enforces,
 *     and tools that can be removed. A policy that needs more than that is refused.
 *  2. Codex reads by running commands. In the read-only sandbox a command can neither write a file nor reach the
 *     network, so it counts as reading: that is what a role gets that may read but not execute.
 *  3. Rules of a coordinator that name its own tools, or tools of other agents that start agents, concern none of
 *     Codex's: its tools for that are removed under a policy.
 *  4. `think` and `other` are not considered: under a policy no tool of that kind is left except planning. */
import {
  err,
  ok,
  type Result,
  SUB_AGENT_TOOLS,
  type ToolKind,
  type ToolPolicy,
  type ToolRule,
  WORKER_TOOLS,
} from "@uncaged/workflow-protocol";
import type { CodexConfig } from "./codex-config.ts";

export type CodexSandbox = {
  mode: "read-only" | "workspace-write" | "danger-full-access";
  /** The model has a tool to run commands. */
  shell: boolean;
  /** The kind that a command has in the record. */
  commandKind: "execute" | "read";
  network: boolean;
  webSearch: boolean;
  /** Only the tools that a policy can judge: no subagents, plugins, apps, goals. */
  plainTools: boolean;
};

export type SandboxChoice = Pick<CodexConfig, "sandbox" | "network" | "config">;

/** The error says in one sentence why the policy cannot be enforced. */
export function codexSandbox(
  config: SandboxChoice,
  policy: ToolPolicy | null,
): Result<CodexSandbox, string> {
  const { sandbox = "workspace", network = false } = config;
  if (policy === null) {
    return ok({
      mode: sandbox === "none" ? "danger-full-access" : "workspace-write",
      shell: true,
      commandKind: "execute",
      network,
      webSearch: true,
      plainTools: false,
    });
  }
  if (sandbox === "none") return err("`sandbox: none` leaves nothing that would enforce it");
  if (config.config === "user") {
    return err("with `config: user` the user's own tools and hooks run outside the sandbox");
  }
  return enforced(policy, network && policy.network !== false);
}

function enforced(policy: ToolPolicy, network: boolean): Result<CodexSandbox, string> {
  const part = JUDGED.find((kind) => leave(policy, kind) === "part");
  if (part !== undefined) {
    return err(
      `Codex enforces rules with its sandbox, which has none for only some calls of kind ${part}: allow or deny the kind as a whole`,
    );
  }
  const all = (kind: ToolKind): boolean => leave(policy, kind) === "all";
  const writes = WRITING.filter(all);
  if (writes.length !== 0 && writes.length !== WRITING.length) {
    return err("Codex's sandbox treats edit, delete and move alike: allow all of them or none");
  }
  const reads = READING.filter(all);
  if (reads.length !== 0 && reads.length !== READING.length) {
    return err("Codex reads and searches with the same commands: allow both or none");
  }
  const [canWrite, canRead, canRun] = [writes.length > 0, reads.length > 0, all("execute")];
  if (canRun && !canRead) {
    return err("a command of Codex can read any file: deny execute too, or allow read and search");
  }
  if (canRun && canWrite && !all("fetch") && network) {
    return err("with `network: true` a command can fetch anything: deny execute, or allow fetch");
  }
  if (!canRun && canRead && canWrite) {
    return err(
      "Codex reads by running commands, and without execute it could not read what it edits: allow execute, or deny edit, delete and move",
    );
  }
  return ok({
    mode: canWrite ? "workspace-write" : "read-only",
    shell: canRun || canRead,
    commandKind: canRun ? "execute" : "read",
    network: network && canRun && canWrite,
    webSearch: all("fetch") && policy.network !== false,
    plainTools: true,
  });
}

const WRITING = ["edit", "delete", "move"] as const;
const READING = ["read", "search"] as const;
const JUDGED = [...READING, ...WRITING, "execute", "fetch"] as const;

/** How much of a kind a policy leaves. A rule that names a tool, or checks the input, concerns a part of it. */
function leave({ allow, deny = [] }: ToolPolicy, kind: ToolKind): "all" | "none" | "part" {
  const about = (rules: readonly ToolRule[]): readonly ToolRule[] =>
    rules.filter((rule) => !isOfOthers(rule) && (rule.kind === undefined || rule.kind === kind));
  const denied = about(deny);
  if (denied.some(isWhole)) return "none";
  const allowed = allow === undefined ? null : about(allow);
  if (allowed?.length === 0) return "none";
  if (denied.length > 0) return "part";
  return allowed === null || allowed.some(isWhole) ? "all" : "part";
}

function isOfOthers({ kind, name }: ToolRule): boolean {
  return kind === undefined && name !== undefined && OF_OTHERS.has(name);
}

const OF_OTHERS: ReadonlySet<string> = new Set([
  ...WORKER_TOOLS.map((name) => `*${name}`),
  ...SUB_AGENT_TOOLS,
]);

function isWhole({ kind, name, input }: ToolRule): boolean {
  return kind !== undefined && name === undefined && input === undefined;
}
