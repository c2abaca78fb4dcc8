/** The node from which on a thread runs another version of its workflow.
 *
 *  1. It is a state of the chain, so the head commits to it, but not a round: roles and rules do not see it.
 *  2. It vouches for the new bundle's bytes and names the packages that it resolved to, as a start node does.
 *  3. It is made only after a proof that the new version would have taken the same way so far. Nothing runs. */
import { isDeepStrictEqual } from "node:util";
import { encodeContent, encodeState } from "@uncaged/workflow-cas";
import { type OpenGroup, openGroup } from "@uncaged/workflow-moderator";
import {
  type EncodedNode,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
  UPGRADE,
} from "@uncaged/workflow-protocol";
import { type OpenedBundle, resolveExternals } from "@uncaged/workflow-register";
import { type Chain, roleStates } from "../chain/chain.ts";
import { skipList } from "../chain/chain-cursor.ts";
import { roleStep } from "../chain/thread-context.ts";
import { versionAfter } from "../chain/upgrades.ts";
import { externalsAfter } from "../run/changed-externals.ts";
import type { Engine } from "../storage/engine.ts";
import { checkChain, type ThreadCheck } from "../table/check-threads.ts";

/** The blobs of an upgrade; the head moves to the state. */
export type Switch = { content: EncodedNode; state: EncodedNode };

/** Proves that `bundle` would have led the thread to where it is, and encodes the upgrade for publication. Refused:
 *  `UPGRADE_REFUSED`, naming the first difference; a package that is not installed. */
export async function switchBundle(
  engine: Pick<Engine, "root" | "packagesBase" | "cas" | "now">,
  at: {
    thread: Pick<ThreadRecord, "threadId" | "status" | "depth" | "bundleHash" | "startedAt">;
    chain: Chain;
    /** SHA-256 (hex) of the last state of `chain`, or of the start node. */
    parentSha256: string;
    /** Where the thread went to ask a person after that state; null: nowhere. */
    asks: string | null;
  },
  bundle: OpenedBundle,
): Promise<Result<Switch, Failure>> {
  const { thread, chain, parentSha256, asks } = at;
  const { root, packagesBase } = engine;
  const from = versionAfter(chain).hash;
  const { descriptor, hash: to, sha256 } = bundle;
  const externals = resolveExternals(bundle.externals, { root, packagesBase });
  if (!externals.ok) return externals;
  if (from === to && isDeepStrictEqual(externals.value, externalsAfter(chain)))
    return err(sameVersion(thread.threadId, to));
  const check = await checkChain(engine.cas, { thread, chain, descriptor, asks });
  if (!check.compatible) return err(refused(check, to));
  const steps = roleStates(chain).map(({ node }) => roleStep(node));
  const open = openGroup(descriptor.graph.edges, steps);
  if (open !== null) return err(inGroup(thread.threadId, open));
  const content = encodeContent(
    from === to
      ? `The thread runs with other packages from here on: ${JSON.stringify(externals.value)}.`
      : `The thread runs version ${to} from here on; it ran ${from}.`,
  );
  const ancestors = skipList(chain.states.map((each) => each.hash));
  const parent = ancestors[0] ?? chain.startHash;
  const state = encodeState(
    {
      role: UPGRADE,
      meta: { from, to, externals: externals.value },
      start: chain.startHash,
      content: content.hash,
      ancestors,
      compact: null,
      timestamp: engine.now(),
      childThread: null,
      digests: { [content.hash]: content.sha256, [parent]: parentSha256, [to]: sha256 },
      route: null,
    },
    [content.hash, chain.startHash, ...ancestors],
  );
  return ok({ content, state });
}

function sameVersion(threadId: string, hash: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} runs version ${hash} with these packages already`,
    "",
  );
}

/** Members of one group are asked by one version. */
function inGroup(threadId: string, { name, missing, of }: OpenGroup): Failure {
  return failure(
    "UPGRADE_REFUSED",
    `thread ${threadId} is in the group ${name}: ${missing.length} of ${of} members are missing`,
    `let the group join first: uncaged-workflow thread resume ${threadId}; or fork the thread from before it`,
  );
}

function refused(check: ThreadCheck, to: string): Failure {
  const { threadId } = check;
  const count = check.routes.length + check.removedRoles.length + check.metas.length;
  const more = count > 1 ? ` (and ${count - 1} more)` : "";
  return failure(
    "UPGRADE_REFUSED",
    `thread ${threadId} would not have reached this state with version ${to}: ${firstOf(check)}${more}`,
    `see all of it with: uncaged-workflow workflow check ${to} --against ${threadId}; or fork it before that step`,
  );
}

/** The difference in the earliest round. */
function firstOf({ routes, removedRoles, metas }: ThreadCheck): string {
  const all = [
    ...removedRoles.map(({ round, role }) => ({ round, text: `it has no role ${role}` })),
    ...metas.map(({ round, role, path, message }) => ({
      round,
      text: `the result of ${role} does not fit its schema: ${path === "" ? "" : `${path}: `}${message}`,
    })),
    ...routes.map(({ round, from, recorded, now, because }) => ({
      round,
      text: `from ${from} it led to ${recorded}, now to ${now ?? "nothing"} (${because})`,
    })),
  ];
  const [first] = all.sort((a, b) => a.round - b.round);
  return first === undefined ? "" : `at round ${first.round} ${first.text}`;
}
