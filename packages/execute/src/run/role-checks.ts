/** Runs the checks that a role requires, on the files that it left.
 *
 *  1. The engine runs them, whatever the adapter is and says: in the middle of a step when the adapter asks, and after
 *     its end in any case. The same files are not checked twice.
 *  2. What counts as the base are the files from before the thread's first role in that work tree: no role of the thread
 *     can have changed them.
 *  3. The evidence is stored with the step, whether it passed or not. */
import {
  type CasStore,
  type CheckEvidence,
  type CheckRequirement,
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  type RoleRules,
  requiredChecks,
  type StepRun,
  type StepWorkspace,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { randomTag } from "@uncaged/workflow-util";
import {
  type CheckPlaces,
  folderEvidence,
  memoryEvidence,
  runCheck,
} from "@uncaged/workflow-workspace";
import { checkedAgainst, type Proofs } from "../chain/proofs.ts";
import { checkCache } from "../storage/check-cache.ts";

/** A work tree before and after a role. */
type CheckedFiles = Pick<
  StepWorkspace,
  "repository" | "workTree" | "before" | "after" | "objectFormat"
>;

export type RoleChecks = {
  /** What fails, in words for the agent; null: nothing. Rejects when the thread is stopped. */
  inWords(role: string, filesNow: () => Promise<CheckedFiles | null>): Promise<string | null>;
  /** The output with the evidence of its role's checks. `fault`: one could not be run. */
  of(
    output: ParsedRoleOutput,
    files: CheckedFiles | null,
  ): Promise<{ output: ParsedRoleOutput; fault: Failure | null }>;
};

export type RoleChecksOptions = {
  root: string;
  cas: Pick<CasStore, "put">;
  rules: { readonly [role: string]: RoleRules };
  proofs: Proofs;
  /** What the commands of checks see of this machine. */
  places: CheckPlaces;
  tag: string;
  signal: AbortSignal;
  now: () => number;
};

export function roleChecks({
  root,
  cas,
  rules,
  proofs,
  places,
  tag,
  signal,
  now,
}: RoleChecksOptions): RoleChecks {
  const cache = checkCache(root);
  const memo = memoryEvidence(folderEvidence(cache.evidence));
  const checksOf = (role: string): readonly CheckRequirement["check"][] =>
    requiredChecks(Object.hasOwn(rules, role) ? rules[role]?.requiredEvidence : undefined);
  const run = async (check: CheckRequirement["check"], files: CheckedFiles) => {
    const { repository: commonDir, workTree, objectFormat } = files;
    return runCheck({
      repository: { commonDir, gitDir: commonDir, workTree, objectFormat },
      ...checkedAgainst(proofs, files),
      check,
      cache: cache.dependencies,
      places,
      memo,
      // Of each run its own: a run ends all processes of its tag.
      tag: `${tag}-${randomTag(8)}`,
      signal,
    });
  };
  const all = async (
    role: string,
    files: CheckedFiles,
  ): Promise<Result<CheckEvidence[], Failure>> => {
    const seen: CheckEvidence[] = [];
    try {
      for (const check of checksOf(role)) {
        const ran = await run(check, files);
        if (!ran.ok) return ran;
        seen.push(ran.value);
      }
      return ok(seen);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      return err(failureFrom(thrown, "CHECK_FAILED"));
    }
  };
  return {
    async inWords(role, filesNow) {
      const files = await filesNow().catch((thrown: unknown) => failureFrom(thrown, "GIT_FAILED"));
      if (files === null) return noFiles(role).message;
      if ("code" in files) return files.message;
      const ran = await all(role, files);
      if (!ran.ok) return ran.error.message;
      const checks = checksOf(role);
      const failed = ran.value.find(
        ({ verdict }, at) =>
          verdict === "failed" ||
          (verdict === "unapproved" && !mayBeApproved(checks[at] ?? { command: [] })),
      );
      return failed === undefined ? null : checkInWords(failed);
    },
    async of(output, files) {
      const { role, outcome } = output;
      if (outcome !== undefined || checksOf(role).length === 0) return { output, fault: null };
      if (files === null) return { output, fault: noFiles(role) };
      const ran = await all(role, files);
      if (!ran.ok) return { output, fault: ran.error };
      const hashes: string[] = [];
      for (const evidence of ran.value) hashes.push(await cas.put(JSON.stringify(evidence)));
      const record = output.run ?? unrecorded(files.workTree, now());
      const run = {
        ...record,
        evidence: [...new Set([...record.evidence, ...hashes])],
        notes: [...(record.notes ?? []), ...ran.value.map(noteOf)],
      };
      return { output: { ...output, run }, fault: null };
    },
  };
}

/** Whether changed controls may wait for somebody. */
export function mayBeApproved({ approver = [] }: CheckRequirement["check"]): boolean {
  return approver.length > 0;
}

function noteOf({ command, verdict, tree, isolation, faults }: CheckEvidence): string {
  const network = { off: "without network", allowed: "with network", open: "network not cut off" };
  const how = [isolation.by === "none" ? "no isolation" : isolation.by, network[isolation.network]];
  const [waits] = faults;
  const outcome = {
    passed: "passed",
    failed: "did not pass",
    unapproved: `passed, but ${waits?.message}:`,
  }[verdict];
  return `${command.join(" ")}: ${outcome} on files ${tree.slice(0, 10)} (${how.join(", ")})`;
}

/** For an adapter that returns no record of its run. */
function unrecorded(cwd: string, atMs: number): StepRun {
  return {
    agent: { name: "unknown", version: "unknown" },
    session: null,
    prompt: null,
    startedAt: atMs,
    completedAt: atMs,
    usage: null,
    cwd,
    evidence: [],
  };
}

const SHOWN_CHARS = 4_000;

/** Why it did not pass, and what the run that shows it printed at its end. */
export function checkInWords({ faults, clean, controlled, canary }: CheckEvidence): string {
  const shown: Record<CheckEvidence["faults"][number]["kind"], typeof clean | null> = {
    command_failed: clean,
    files_changed: clean,
    link_outside: null,
    controls_changed: controlled,
    nothing_tested: canary,
  };
  const [first] = faults;
  const output = (first === undefined ? null : shown[first.kind])?.output.trim() ?? "";
  const why = faults.map(({ message }) => message).join("; ");
  return output === "" ? why : `${why}\n\n${output.slice(-SHOWN_CHARS)}`;
}

function noFiles(role: string): Failure {
  return failure(
    "CHECK_FAILED",
    `the files of role ${role} cannot be checked, because they are not recorded: its folder is in no git repository, or snapshots are off`,
    "run the thread in a git repository, with `snapshots` on",
  );
}
