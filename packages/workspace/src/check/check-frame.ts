import type { CheckEvidence, CheckIsolation, CheckRule } from "@uncaged/workflow-protocol";
import { type CheckPlaces, checkEnvironment, digest } from "./check-environment.ts";
import { protectedFiles } from "./protected-files.ts";
import { findSandbox } from "./sandbox.ts";

/** What the runs of a check have in common, apart from the files. */
export type CheckFrame = {
  isolation: CheckIsolation;
  timeoutMs: number;
  network: boolean;
};

export type CheckIdentity = {
  /** Digest of everything but the files and the command that could change the outcome. */
  environment: string;
  /** Under which the evidence is found again. */
  key: string;
};

const VERSION = 1;
const TIMEOUT_MS = 600_000;

export async function checkFrame(rule: CheckRule): Promise<CheckFrame> {
  const { by } = await findSandbox();
  const network = rule.network === true;
  return {
    isolation: { by, network: network ? "allowed" : by === "none" ? "open" : "off" },
    timeoutMs: rule.timeoutMs ?? TIMEOUT_MS,
    network,
  };
}

export function identityOf(
  { tree, base, check, places }: CheckSubject,
  frame: CheckFrame,
): CheckIdentity {
  const { command, ...rule } = check;
  const environment = digest([
    VERSION,
    checkEnvironment(placesFor(check, places), "."),
    [process.platform, process.arch, process.version],
    frame,
    [rule.setup, rule.canary, rule.writes, rule.approver],
    protectedFiles(rule.protect),
  ]);
  return { environment, key: keyOfEvidence({ tree, base, command, environment }) };
}

/** The key under which it is kept. */
export function keyOfEvidence({
  tree,
  base,
  command,
  environment,
}: Pick<CheckEvidence, "tree" | "base" | "command" | "environment">): string {
  return digest([tree, base, command, environment]);
}

/** With the variables that the rule sets. */
export function placesFor({ variables }: CheckRule, places: CheckPlaces = {}): CheckPlaces {
  return { ...places, variables: { ...places.variables, ...variables } };
}

export type CheckSubject = {
  /** Id of the tree to check. */
  tree: string;
  /** Id of the tree the agents began with. */
  base: string;
  check: CheckRule;
  places?: CheckPlaces | undefined;
};
