import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
  WorkflowError,
  type WorkflowFn,
} from "@uncaged/workflow-protocol";
import { importBundle, type OpenedBundle } from "@uncaged/workflow-register";
import { type Chain, loadChain } from "../chain/chain.ts";
import { versionAfter } from "../chain/upgrades.ts";
import { openRootBundle } from "../place/shared-registry.ts";
import type { Engine } from "../storage/engine.ts";
import { checkExternals } from "./changed-externals.ts";
import { type OriginSessions, originSessions } from "./origin-sessions.ts";

/** Everything that a thread needs to run: its chain, and the code of its version. */
export type LoadedRun = {
  chain: Chain;
  origin: OriginSessions;
  bundle: OpenedBundle;
  workflow: WorkflowFn;
};

/** Reads the chain and imports the bundle. The thread runs exactly the bytes and packages that its chain vouches for,
 *  or nothing. Throws when the chain is damaged. */
export async function loadRun(
  engine: Engine,
  thread: ThreadRecord,
): Promise<Result<LoadedRun, Failure>> {
  const chain = await loadChain(engine.cas, thread);
  const bundle = await bundleOf(engine, thread, chain);
  if (!bundle.ok) return bundle;
  const externals = checkExternals(engine, thread, { chain, bundle: bundle.value });
  if (!externals.ok) return externals;
  const workflow = await importWorkflow(bundle.value);
  if (!workflow.ok) return workflow;
  const origin = originSessions(engine, thread, chain);
  return ok({ chain, origin, bundle: bundle.value, workflow: workflow.value });
}

/** The bundle of a thread, its bytes checked against the start node or the last upgrade. */
export function bundleOf(
  engine: Pick<Engine, "root">,
  thread: Pick<ThreadRecord, "bundleHash">,
  chain: Chain,
): Promise<Result<OpenedBundle, Failure>> {
  const { hash, sha256 } = versionAfter(chain);
  return openRootBundle(engine.root, thread.bundleHash, hash === thread.bundleHash ? sha256 : "");
}

async function importWorkflow(opened: OpenedBundle): Promise<Result<WorkflowFn, Failure>> {
  const { file } = opened;
  try {
    const { run } = await importBundle(opened);
    if (isWorkflowFn(run)) return ok(run);
    return err(
      failure("BUNDLE_EXPORTS", `${file} exports no function named run`, "add the workflow again"),
    );
  } catch (thrown) {
    if (thrown instanceof WorkflowError) return err(thrown.failure);
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    return err(
      failure(
        "BUNDLE_UNRESOLVED",
        `${file} does not load: ${cause}`,
        "run: uncaged-workflow doctor",
      ),
    );
  }
}

/** A function is all that can be checked here; what it yields is parsed as it comes. */
function isWorkflowFn(value: unknown): value is WorkflowFn {
  return typeof value === "function";
}
