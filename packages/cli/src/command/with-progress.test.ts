import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Sink } from "./io.ts";
import { withProgress } from "./with-progress.ts";

/** A clock that advances one second per reading. */
function world(isTerminal: boolean): { stderr: Sink; now: () => number; written: string[] } {
  const written: string[] = [];
  let nowMs = 0;
  return {
    written,
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
    stderr: {
      isTerminal,
      color: false,
      columns: 22,
      write: async (text) => void written.push(text),
    },
  };
}

it("says what is happening and for how long, within the line, and leaves nothing behind", async () => {
  const io = world(true);
  expect(await withProgress(io, "checking every blob", () => sleep(1_300, "done"))).toBe("done");
  expect(io.written[0]).toBe("\r\u001b[Kchecking every blob …");
  expect(io.written.at(-1)).toBe("\r\u001b[K");
});

it("leaves nothing behind when the work fails", async () => {
  const io = world(true);
  const fail = async (): Promise<never> => {
    await sleep(700);
    throw new Error("no");
  };
  await expect(withProgress(io, "checking", fail)).rejects.toThrow("no");
  expect(io.written.at(-1)).toBe("\r\u001b[K");
});

it("is silent where nobody is watching, and for quick work", async () => {
  const [pipe, terminal] = [world(false), world(true)];
  await withProgress(pipe, "checking", () => sleep(700));
  await withProgress(terminal, "checking", async () => undefined);
  expect([...pipe.written, ...terminal.written]).toEqual([]);
});
