import type {
  Failure,
  FinalStatus,
  Result,
  ThreadEnding,
  ThreadFacts,
  ThreadStatus,
  WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { ok } from "@uncaged/workflow-protocol";
import { openRootBundle } from "../place/shared-registry.ts";
import type { Engine } from "../storage/engine.ts";
import type { NodeReader } from "./read-node.ts";

/** What is known about a thread besides its nodes, in a storage root or in an export. */
export type KnownThread = Pick<
  ThreadFacts,
  | "threadId"
  | "workflow"
  | "bundleHash"
  | "startHash"
  | "head"
  | "headSha256"
  | "stepCount"
  | "depth"
  | "startedAt"
> &
  ({ status: Exclude<ThreadStatus, FinalStatus> } | ThreadEnding);

/** A bundle whose bytes match the expected hash and SHA-256. */
export type KnownBundle = {
  hash: string;
  /** SHA-256 (hex) of its bytes. */
  sha256: string;
  descriptor: WorkflowDescriptor;
  /** SHA-256 (hex) of the descriptor file. */
  descriptorSha256: string;
  /** Version of the bundler that made it; null when unknown. */
  rolldown: string | null;
};

/** Everything that a proof of a thread needs, whether it comes from a storage root or from an untrusted file. */
export type ThreadSource = {
  cas: NodeReader;
  /** null: it is not kept here. */
  thread(threadId: string): Promise<KnownThread | null>;
  bundle(hash: string, sha256: string): Promise<Result<KnownBundle, Failure>>;
};

/** The threads of a storage root as a source. */
export function storedThreads({ root, cas, store }: Engine): ThreadSource {
  return {
    cas,
    thread: (threadId) => store.get(threadId),
    async bundle(hash, sha256) {
      const opened = await openRootBundle(root, hash, sha256);
      if (!opened.ok) return opened;
      const { descriptor, descriptorSha256, rolldown } = opened.value;
      return ok({ hash, sha256, descriptor, descriptorSha256, rolldown });
    },
  };
}
