/** How answers are compressed. */
import type { Transform } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

export type Encoding = "br" | "gzip";

/** The better one first. */
const ENCODINGS: readonly Encoding[] = ["br", "gzip"];

/** Those that a caller takes, of `Accept-Encoding`; `q=0` is a refusal. */
export function takenEncodings(header: string | undefined): Encoding[] {
  const taken = (header ?? "").split(",").flatMap((part) => {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    return parameters.some((each) => /^q=0(\.0*)?$/.test(each)) ? [] : [name];
  });
  return ENCODINGS.filter((each) => taken.includes(each));
}

/** Below it, the head of an encoding is larger than what it saves. */
const WORTH_BYTES = 1_024;

/** How an engine's answer goes on to a caller; null: as it is. Events are small and must not wait for others. Each answer
 *  is read with its caller's own right by the gateway's own page alone, so that its length tells nobody a secret. */
export function encodingOf(
  answer: { type: string; bytes: number | null },
  acceptEncoding: string | undefined,
): Encoding | null {
  const isText = /^(application\/json|text\/(?!event-stream))/.test(answer.type);
  if (!isText || (answer.bytes !== null && answer.bytes < WORTH_BYTES)) return null;
  return takenEncodings(acceptEncoding)[0] ?? null;
}

/** Fast rather than small, and with little memory: many calls are answered at once. */
export function compressor(encoding: Encoding): Transform {
  if (encoding === "gzip") return createGzip({ level: 5 });
  return createBrotliCompress({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_LGWIN]: 18,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  });
}
