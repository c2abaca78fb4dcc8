/** Stays with a thread that runs elsewhere until it ends or waits for a person. */
import { type Engine, lendStepRoom } from "@uncaged/workflow-execute";
import {
  type Failure,
  PROCESS_TAG_ENV,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { writeText } from "../../command/write-text.ts";
import { styleOf } from "../../terminal/style.ts";
import { liveView } from "./live-view.ts";
import { showLive } from "./show-live.ts";
import type { Stay } from "./stay-options.ts";
import { waitToEnd } from "./wait.ts";

/** How it ended, with its exit code. `after`: number of the last live event before. With `--json` stdout contains
 *  one document, so events are shown on stderr. */
export async function stayWith(
  { engine, thread, after }: { engine: Engine; thread: ThreadRecord; after: number },
  stay: Exclude<Stay, "background">,
  io: Io,
): Promise<Result<Output, Failure>> {
  const { threadId } = thread;
  const signal = io.interruption();
  await writeText(io.stderr, `${styleOf(io.stderr).dim("thread")} ${threadId}\n`);
  return lendStepRoom(engine, { tag: io.env[PROCESS_TAG_ENV], signal }, async () => {
    if (stay === "live") {
      const to = io.json ? io.stderr : io.stdout;
      const write = liveView(styleOf(to), "usual");
      await showLive({ engine, threadId }, { after, until: "end", role: null, signal, write, to });
    }
    return waitToEnd({ engine, thread }, signal, io);
  });
}
