/** What a program printed: all of it while it is short, otherwise its beginning and its end. */
export type CapturedOutput = {
  /** Bytes that are not UTF-8 appear as U+FFFD; where something was left out, a separate line says how much. */
  text: string;
  /** Total bytes printed. */
  totalBytes: number;
  /** How many of them `text` lacks. */
  omittedBytes: number;
};

export type OutputCapture = {
  push(chunk: Uint8Array): void;
  result(): CapturedOutput;
};

/** Keeps at most `maxBytes`, half from the beginning and half from the end, since a program says first what it does
 *  and last how it ended. Memory stays within that limit whatever is pushed. */
export function captureOutput(maxBytes: number): OutputCapture {
  const headBytes = Math.ceil(maxBytes / 2);
  const head: Buffer[] = [];
  let headLength = 0;
  const tail = ring(maxBytes - headBytes);
  let totalBytes = 0;
  return {
    push(chunk) {
      totalBytes += chunk.length;
      const toHead = chunk.subarray(0, headBytes - headLength);
      // A copy: a chunk may be a small part of a large buffer that would stay alive with it.
      if (toHead.length > 0) head.push(Buffer.from(toHead));
      headLength += toHead.length;
      tail.push(chunk.subarray(toHead.length));
    },
    result() {
      const first = Buffer.concat(head);
      const last = tail.content();
      const cut = totalBytes - first.length - last.length;
      if (cut === 0)
        return { text: decode(Buffer.concat([first, last])), totalBytes, omittedBytes: 0 };
      const start = first.subarray(0, wholeCharacters(first));
      const end = last.subarray(firstCharacter(last));
      const omittedBytes = totalBytes - start.length - end.length;
      const note = `\n[… ${omittedBytes} bytes left out …]\n`;
      return { text: decode(start) + note + decode(end), totalBytes, omittedBytes };
    },
  };
}

/** The last `size` bytes pushed. */
function ring(size: number): { push(bytes: Uint8Array): void; content(): Buffer } {
  let buffer: Buffer | null = null;
  let at = 0;
  let full = false;
  return {
    push(bytes) {
      if (size === 0 || bytes.length === 0) return;
      buffer ??= Buffer.alloc(size);
      const kept = bytes.subarray(Math.max(0, bytes.length - size));
      const first = kept.subarray(0, size - at);
      buffer.set(first, at);
      buffer.set(kept.subarray(first.length), 0);
      full ||= at + kept.length >= size;
      at = (at + kept.length) % size;
    },
    content() {
      if (buffer === null) return Buffer.alloc(0);
      return full
        ? Buffer.concat([buffer.subarray(at), buffer.subarray(0, at)])
        : buffer.subarray(0, at);
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Length without a character that was cut off at the end (RFC 3629: at most three bytes). */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return width > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function firstCharacter(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start++;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
