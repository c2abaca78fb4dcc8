import {
  type BundleVersion,
  err,
  ok,
  type RegistryEntry,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import { findEarlier } from "./find-earlier.ts";
import { staleVersion } from "./stale-version.ts";
import { unknownWorkflow } from "./unknown-workflow.ts";

/** The same port without a file, for tests. */
export function memoryRegistry(): WorkflowRegistry {
  const entries = new Map<string, RegistryEntry>();
  return {
    workflows: async () => ok(new Map(entries)),
    async register({ name, version, ...condition }) {
      const entry = entries.get(name);
      const stale = staleVersion(entry, { name, ...condition });
      if (stale !== null) return err(stale);
      if (entry === undefined) entries.set(name, { ...version, history: [] });
      else if (entry.hash !== version.hash || entry.sha256 !== version.sha256) {
        entries.set(name, { ...version, history: [versionOf(entry), ...entry.history] });
      }
      return ok({ previous: entry?.hash ?? null, notes: [] });
    },
    async rollback(request) {
      const found = findEarlier(entries, request);
      if (!found.ok) return found;
      const { entry, earlier } = found.value;
      const previous = entry.hash;
      if (earlier === null) return ok({ hash: previous, previous, notes: [] });
      const history = [versionOf(entry), ...entry.history.toSpliced(earlier.at, 1)];
      entries.set(request.name, { ...earlier.version, history });
      return ok({ hash: earlier.version.hash, previous, notes: [] });
    },
    async remove(name) {
      const entry = entries.get(name);
      if (entry === undefined) return err(unknownWorkflow(entries, name));
      entries.delete(name);
      return ok({ entry, notes: [] });
    },
  };
}

function versionOf({ hash, sha256, timestamp }: RegistryEntry): BundleVersion {
  return { hash, sha256, timestamp };
}
