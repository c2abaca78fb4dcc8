/** Whether a later version has changed the root, so that nothing new can be begun with this one: what is open goes on, and
 *  whatever is opened is refused. */
import { openThreads } from "@uncaged/workflow-execute";
import { type Failure, failureFrom } from "@uncaged/workflow-protocol";

const LOOK_EVERY_MS = 10_000;

export type Outdated = {
  /** Why; null: it is not, as far as anybody has looked. */
  found(): Failure | null;
  /** Looks now. */
  ask(): Promise<Failure | null>;
  /** Looks, if that is due. */
  look(): Promise<void>;
};

/** Never rejects: a storage that is away says nothing about versions. */
export function outdatedRoot(
  root: string,
  { onFound, monotonicMs = () => performance.now() }: OutdatedOptions,
): Outdated {
  let found: Failure | null = null;
  let askedMs = monotonicMs();
  const ask = async (): Promise<Failure | null> => {
    if (found !== null) return found;
    askedMs = monotonicMs();
    const refusal = await refusalOf(root);
    if (found !== null || refusal?.code !== "STORAGE_NEWER") return found;
    found = refusal;
    onFound(refusal);
    return found;
  };
  return {
    found: () => found,
    ask,
    look: async () => {
      if (monotonicMs() - askedMs >= LOOK_EVERY_MS) await ask();
    },
  };
}

export type OutdatedOptions = {
  onFound: (why: Failure) => void;
  monotonicMs?: () => number;
};

async function refusalOf(root: string): Promise<Failure | null> {
  try {
    await (await openThreads(root)).close();
    return null;
  } catch (thrown) {
    return failureFrom(thrown, "STORAGE_FAILED");
  }
}
