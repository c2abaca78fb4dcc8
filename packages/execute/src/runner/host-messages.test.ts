import { expect, it } from "vitest";
import { linesOf, parseHostRequest, parseHostState } from "./host-messages.ts";

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  return read;
}

it("takes a request that it knows, and nothing else", () => {
  expect(parseHostRequest('{"kind":"run","threadId":"T"}')).toEqual({ kind: "run", threadId: "T" });
  expect(parseHostRequest('{"kind":"status"}')).toEqual({ kind: "status" });
  for (const line of ["", "no JSON", "null", "7", '{"kind":"run"}', '{"kind":"run","threadId":7}'])
    expect(parseHostRequest(line)).toBeNull();
});

it("reads what it can of the state of a host", () => {
  const worker = { bundleHash: "B", pid: 7, since: 1, threads: 2 };
  expect(
    parseHostState({ kind: "status", workers: [worker, { bundleHash: 1 }, null], resting: [{}] }),
  ).toEqual({ workers: [worker], resting: [] });
  for (const message of [null, {}, { kind: "status", workers: 1, resting: [] }])
    expect(parseHostState(message)).toBeNull();
});

it("puts lines together that arrive in pieces, and drops what has no end", async () => {
  expect(await all(linesOf(chunks("on", "e\ntwo\nth", "ree")))).toEqual(["one", "two"]);
});

it("does not keep a line that never ends", async () => {
  const endless = chunks(...Array.from({ length: 20 }, () => "x".repeat(100_000)));
  await expect(all(linesOf(endless))).rejects.toThrow("too long");
});
