import type { CheckIsolation, CheckRule } from "@uncaged/workflow-protocol";
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
  { tree, base, check, places = {} }: CheckSubject,
  frame: CheckFrame,
): CheckIdentity {
  const { command, ...rule } = check;
  const environment = digest([
    VERSION,
    checkEnvironment(places, "."),
    [process.platform, process.arch, process.version],
    frame,
    [rule.setup, rule.canary, rule.writes, rule.approver],
    protectedFiles(rule.protect),
  ]);
  return { environment, key: digest([tree, base, command, environment]) };
}

export type CheckSubject = {
  /** Id of the tree to check. */
  tree: string;
  /** Id of the tree the agents began with. */
  base: string;
  check: CheckRule;
  places?: CheckPlaces | undefined;
};
