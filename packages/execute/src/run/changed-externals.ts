/** Packages that a bundle leaves external run with its thread, so the chain records their versions: in the start node
 *  and in each upgrade. Other versions run only after they were recorded. */
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { type OpenedBundle, resolveExternals } from "@uncaged/workflow-register";
import type { Chain } from "../chain/chain.ts";
import { isUpgrade } from "../chain/upgrades.ts";
import type { Engine } from "../storage/engine.ts";

export type Externals = { readonly [packageName: string]: string };

/** The versions that a thread runs with after these states, as far as they are recorded. */
export function externalsAfter(chain: Chain): Externals {
  const upgrade = chain.states.findLast(isUpgrade);
  if (upgrade === undefined) return chain.start.payload.externals;
  const named = Object.entries(Object(upgrade.node.payload.meta.externals));
  return Object.fromEntries(
    named.flatMap(([name, version]) => (typeof version === "string" ? [[name, version]] : [])),
  );
}

/** `EXTERNALS_CHANGED` names each package that resolves to another version now. Every difference counts, even a patch:
 *  a version number does not say whether a role would behave differently. */
export function checkExternals(
  { root, packagesBase }: Pick<Engine, "root" | "packagesBase">,
  thread: Pick<ThreadRecord, "threadId">,
  { chain, bundle }: { chain: Chain; bundle: OpenedBundle },
): Result<null, Failure> {
  const recorded = externalsAfter(chain);
  const now = resolveExternals(bundle.externals, { root, packagesBase });
  if (!now.ok) return now;
  const changed = Object.entries(now.value).flatMap(([name, version]) => {
    const before = recorded[name];
    return before === undefined || before === version ? [] : [{ name, before, version }];
  });
  if (changed.length === 0) return ok(null);
  const what = changed.map(({ name, before, version }) => `${name} ${before} is ${version} now`);
  const wanted = changed.map(({ name, before }) => `${name}@${before}`).join(" ");
  return err(
    failure(
      "EXTERNALS_CHANGED",
      `thread ${thread.threadId} ran with other packages: ${what.join(", ")}`,
      `continue with these, on record: uncaged-workflow thread upgrade ${thread.threadId} --to ${bundle.hash}; or restore the others: npm install --prefix ${JSON.stringify(root)} ${wanted}`,
    ),
  );
}
