import { lendStepRoom } from "@uncaged/workflow-execute";
import { type Failure, ok, PROCESS_TAG_ENV, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withEngine } from "../../command/with-engine.ts";
import { writeText } from "../../command/write-text.ts";
import { styleOf } from "../../terminal/style.ts";
import { findEach } from "../several/find-threads.ts";
import { waitToEnd } from "./wait.ts";
import { waitTogether } from "./wait-together.ts";

/** Waits for threads that run elsewhere. A name that matches none is refused before the wait begins. */
export function waitFor(
  { ids, until }: { ids: readonly string[]; until: "all" | "first" },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withEngine(io, async (engine) => {
    const found = await findEach(engine, ids);
    if (!found.ok) return found;
    const threads = found.value;
    const signal = io.interruption();
    return lendStepRoom(engine, { tag: io.env[PROCESS_TAG_ENV], signal }, async () => {
      const [thread] = threads;
      if (thread !== undefined && ids.length === 1)
        return waitToEnd({ engine, thread }, signal, io);
      const waiting = `waiting for ${count(threads.length, "thread")}`;
      await writeText(io.stderr, `${styleOf(io.stderr).dim(waiting)}\n`);
      return ok(await waitTogether({ engine, threads }, { until, signal }, io));
    });
  });
}
