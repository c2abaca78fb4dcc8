import { type Engine, openTriggers } from "@uncaged/workflow-execute";
import type { Triggers } from "@uncaged/workflow-protocol";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";

/** Provides the engine and the triggers of this storage root to a command. */
export async function withTriggers<T>(
  io: Pick<Io, "env" | "engine">,
  use: (at: { engine: Engine; triggers: Triggers }) => Promise<T>,
): Promise<T> {
  return withEngine(io, async (engine) => {
    const triggers = await openTriggers(engine.root);
    try {
      return await use({ engine, triggers });
    } finally {
      await triggers.close();
    }
  });
}
