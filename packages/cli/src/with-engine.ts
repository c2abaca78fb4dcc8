/** Lends the engine of this storage root to a command, and closes it whatever happens. */
import type { Engine } from "@uncaged/workflow-execute";
import type { Failure, Result, ThreadRecord } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "./io.ts";

/** The engine's verbs, loaded with the first command that needs them. */
export type Verbs = typeof import("@uncaged/workflow-execute");

export async function withEngine<T>(
  io: Pick<Io, "env">,
  use: (engine: Engine, verbs: Verbs) => Promise<T>,
): Promise<T> {
  const verbs = await import("@uncaged/workflow-execute");
  const root = storageRoot(io.env);
  const engine = await verbs.openEngine({ root, packagesBase: import.meta.url });
  try {
    return await use(engine, verbs);
  } finally {
    await engine.store.close();
  }
}

/** The same with a thread, found by its id or by a part of it. */
export async function withThread<T>(
  io: Pick<Io, "env">,
  id: string,
  use: (at: ThreadAt) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  return withEngine(io, async (engine, verbs) => {
    const thread = await verbs.findThread(engine, id);
    return thread.ok ? use({ engine, verbs, thread: thread.value }) : thread;
  });
}

export type ThreadAt = { engine: Engine; verbs: Verbs; thread: ThreadRecord };
