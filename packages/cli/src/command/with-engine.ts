/** Provides the engine of this storage root to a command, and closes it whatever happens. */
import { type Engine, findThread, openEngine } from "@uncaged/workflow-execute";
import type { Failure, Result, ThreadRecord } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import { errandOf, forErrand } from "./errand.ts";
import type { Io } from "./io.ts";
import { demandRoot } from "./step-store.ts";

export async function withEngine<T>(
  io: Pick<Io, "env" | "engine">,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  if (io.engine !== undefined) return use(io.engine);
  demandRoot(io);
  const engine = await openEngine({ root: storageRoot(io.env), packagesBase: import.meta.url });
  try {
    const errand = errandOf(io.env);
    return await use(errand === null ? engine : forErrand(engine, errand));
  } finally {
    await engine.store.close();
  }
}

/** The same with a thread, found by its id or a part of it. */
export async function withThread<T>(
  io: Pick<Io, "env" | "engine">,
  id: string,
  use: (engine: Engine, thread: ThreadRecord) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  return withEngine(io, async (engine) => {
    const thread = await findThread(engine, id);
    return thread.ok ? use(engine, thread.value) : thread;
  });
}
