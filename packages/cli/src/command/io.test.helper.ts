import type { Input, Io, Sink } from "./io.ts";

export type FakeIo = Io & { out: () => string; err: () => string };

/** In-memory I/O. Anything not given is empty, silent and not a terminal. */
export function fakeIo(given: {
  json?: boolean;
  env?: NodeJS.ProcessEnv;
  stdin?: string | Uint8Array | Input;
  color?: boolean;
  nowMs?: number;
  signal?: AbortSignal;
}): FakeIo {
  const out = fakeSink(given.color ?? false);
  const err = fakeSink(given.color ?? false);
  return {
    env: given.env ?? {},
    cwd: "/",
    json: given.json ?? false,
    stdin: fakeInput(given.stdin),
    stdout: out.sink,
    stderr: err.sink,
    now: () => given.nowMs ?? 0,
    hostBundle: () => undefined,
    interruption: () => given.signal ?? new AbortController().signal,
    interruptions: () => {
      const { signal } = new AbortController();
      return { first: given.signal ?? signal, second: signal };
    },
    out: out.text,
    err: err.text,
  };
}

function fakeSink(color: boolean): { sink: Sink; text: () => string } {
  let text = "";
  const write = async (more: string): Promise<void> => {
    text += more;
  };
  return { sink: { write, isTerminal: color, color, columns: null }, text: () => text };
}

function fakeInput(given: string | Uint8Array | Input | undefined): Input {
  if (given === undefined) return { kind: "none", chunks: () => chunks([]) };
  if (typeof given === "object" && "kind" in given) return given;
  // In two chunks, which may split a character.
  const bytes = Buffer.from(given);
  const half = bytes.length >> 1;
  return { kind: "data", chunks: () => chunks([bytes.subarray(0, half), bytes.subarray(half)]) };
}

async function* chunks(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}
