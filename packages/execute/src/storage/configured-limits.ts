import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Dispatch, ThreadStore } from "@uncaged/workflow-protocol";
import { readLimits } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";

/** The same, with the limits that `workflow.yaml` has when room is asked for: a change of the file takes effect with the
 *  next start. While the file cannot be read as a configuration, the last one that could be holds. */
export function withConfiguredLimits(
  root: string,
  { threads, dispatch }: { threads: ThreadStore; dispatch: Dispatch },
): { threads: ThreadStore; dispatch: Dispatch } {
  const { registry: path } = storagePaths(root);
  let obeyed = "";
  const obey = async (): Promise<void> => {
    const stat = statSync(path, { throwIfNoEntry: false });
    const version = `${stat?.ino} ${stat?.mtimeMs} ${stat?.size}`;
    if (version === obeyed) return;
    const limits = await readLimits(root);
    // Read before it is written: most processes find what another one has stored.
    if (limits.ok && !isDeepStrictEqual(await dispatch.limits(), limits.value))
      await dispatch.limit(limits.value);
    obeyed = version;
  };
  const after =
    <Asked extends unknown[], Answer>(ask: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer> => {
      await obey();
      return ask(...asked);
    };
  return {
    threads: {
      ...threads,
      acquire: async (request) => {
        if (request.room !== undefined) await obey();
        return threads.acquire(request);
      },
    },
    dispatch: {
      ...dispatch,
      next: after(dispatch.next),
      limits: after(dispatch.limits),
      takeBack: after(dispatch.takeBack),
      take: after(dispatch.take),
      budget: after(dispatch.budget),
    },
  };
}
