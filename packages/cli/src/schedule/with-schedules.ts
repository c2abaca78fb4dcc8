import { type Engine, openSchedules } from "@uncaged/workflow-execute";
import type { Schedules } from "@uncaged/workflow-protocol";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";

/** Provides the engine and the schedules of this storage root to a command. */
export async function withSchedules<T>(
  io: Pick<Io, "env" | "engine">,
  use: (at: { engine: Engine; schedules: Schedules }) => Promise<T>,
): Promise<T> {
  return withEngine(io, async (engine) => {
    const schedules = await openSchedules(engine.root);
    try {
      return await use({ engine, schedules });
    } finally {
      await schedules.close();
    }
  });
}
