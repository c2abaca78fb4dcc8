import { err, ok, type RegistryEntry, type WorkflowRegistry } from "@uncaged/workflow-protocol";
import { registered, rolledBack } from "./registry-changes.ts";
import { unknownWorkflow } from "./unknown-workflow.ts";

/** The same port without a file, for tests. */
export function memoryRegistry(): WorkflowRegistry {
  const entries = new Map<string, RegistryEntry>();
  return {
    workflows: async () => ok(new Map(entries)),
    async register(registration) {
      const done = registered(entries, registration);
      if (!done.ok) return done;
      const { entry, previous } = done.value;
      entries.set(registration.name, entry);
      return ok({ previous, notes: [] });
    },
    async rollback(request) {
      const done = rolledBack(entries, request);
      if (!done.ok) return done;
      const { entry, ...restored } = done.value;
      entries.set(request.name, entry);
      return ok({ ...restored, notes: [] });
    },
    async remove(name) {
      const entry = entries.get(name);
      if (entry === undefined) return err(unknownWorkflow(entries, name));
      entries.delete(name);
      return ok({ entry, notes: [] });
    },
  };
}
