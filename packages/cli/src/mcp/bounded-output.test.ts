import { describe, expect, it } from "vitest";
import type { Sink } from "../command/io.ts";
import { boundedOutput } from "./bounded-output.ts";

/** A client that reads only when told to. */
function client(): { sink: Sink; reads: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sink: Sink = { write: () => promise, isTerminal: false, color: false, columns: null };
  return { sink, reads: resolve };
}

const MEGABYTE = "x".repeat(1024 * 1024);

async function* asked(log: number[]): AsyncGenerator<Uint8Array> {
  for (let n = 1; n <= 3; n += 1) {
    log.push(n);
    yield Buffer.from("{}\n");
  }
}

describe("output to a client", () => {
  it("that does not read stops us from reading further requests", async () => {
    const { sink, reads } = client();
    const output = boundedOutput(sink);
    const pieces = output.whileRead(asked([]));
    expect(await pieces.next()).toMatchObject({ done: false });
    output.stream.write(MEGABYTE);
    const next = pieces.next();
    const soon = new Promise((resolve) => setTimeout(resolve, 20, "waits"));
    expect(await Promise.race([next, soon])).toBe("waits");
    reads();
    expect(await next).toMatchObject({ done: false });
  });

  it("may be one answer of any length, but not any number of unread ones", async () => {
    const output = boundedOutput(client().sink);
    const ended = (): Promise<string> =>
      Promise.race([output.overflown, new Promise<string>((go) => setImmediate(go, "goes on"))]);
    output.beforeAnswer();
    for (let megabytes = 0; megabytes < 64; megabytes += 1) output.stream.write(MEGABYTE);
    expect(await ended()).toBe("goes on");
    output.stream.write(MEGABYTE);
    output.beforeAnswer();
    expect(await ended()).toBe("overflown");
  });
});
