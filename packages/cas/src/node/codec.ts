/** Nodes as bytes and back.
 *
 *  1. A blob is three lines, `type: …`, `payload: …`, `refs: …`, each value in canonical JSON, and a final line break.
 *     That is YAML 1.2, but reading it needs only a JSON parser.
 *  2. One node has one text: same values in, same bytes out, on every machine and version.
 *  3. Nothing is written that could not be read back: both directions make the same checks. */
import {
  type CasNode,
  type EncodedNode,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StartPayload,
  type StatePayload,
} from "@uncaged/workflow-protocol";
import { canonicalJson } from "./canonical-json.ts";
import { hashBytes, sha256Hex } from "./hash.ts";
import { isHashList, nodeFrom } from "./node-shape.ts";

/** Wraps any text at all, whatever it looks like. */
export function encodeContent(text: string, refs: readonly string[] = []): EncodedNode {
  return encodeNode({ type: "content", payload: text, refs });
}

/** `refs`: the prompt, then `parentState` if there is one. */
export function encodeStart(payload: StartPayload, refs: readonly string[]): EncodedNode {
  return encodeNode({ type: "start", payload, refs });
}

/** `refs`: content, start, every ancestor, artifacts, then prompt and evidence of the run record. */
export function encodeState(payload: StatePayload, refs: readonly string[]): EncodedNode {
  return encodeNode({ type: "state", payload, refs });
}

/** Throws `TypeError` for a node that its own decoder would refuse. */
export function encodeNode(node: CasNode): EncodedNode {
  const checked = nodeFrom(node);
  if (!checked.ok) throw new TypeError(`cannot write a ${node.type} node: ${checked.error}`);
  const { type, payload, refs } = node;
  const text = `${TYPE}${canonicalJson(type)}\n${PAYLOAD}${canonicalJson(payload)}\n${REFS}${canonicalJson(refs)}\n`;
  const bytes = Buffer.from(text);
  return { hash: hashBytes(bytes), text, sha256: sha256Hex(bytes) };
}

/** Reads a blob's text. Fails with `CAS_NOT_A_NODE`, which says what is wrong. */
export function decodeNode(text: string): Result<CasNode, Failure> {
  const lines = splitLines(text);
  if (lines === null) return notANode("it is not the three lines type, payload and refs");
  try {
    const node = nodeFrom({
      type: JSON.parse(lines.type),
      payload: JSON.parse(lines.payload),
      refs: JSON.parse(lines.refs),
    });
    return node.ok ? node : notANode(node.error);
  } catch (cause) {
    return notANode(cause instanceof Error ? cause.message : String(cause));
  }
}

/** The refs of a blob without parsing its payload, for walks over many. The blob must be valid: its payload is not
 *  checked. Fails with `CAS_NOT_A_NODE`. */
export function refsOf(text: string): Result<readonly string[], Failure> {
  const lines = splitLines(text);
  if (lines === null) return notANode("it is not the three lines type, payload and refs");
  try {
    const refs: unknown = JSON.parse(lines.refs);
    return isHashList(refs) ? ok(refs) : notANode("refs must be a list of hashes");
  } catch (cause) {
    return notANode(cause instanceof Error ? cause.message : String(cause));
  }
}

const TYPE = "type: ";
const PAYLOAD = "payload: ";
const REFS = "refs: ";

/** JSON contains no raw line break, so the first two breaks and the last one separate the three values. */
function splitLines(text: string): { type: string; payload: string; refs: string } | null {
  const first = text.indexOf("\n");
  const second = text.indexOf("\n", first + 1);
  const third = text.indexOf("\n", second + 1);
  if (first < 0 || second < 0 || third !== text.length - 1) return null;
  if (!text.startsWith(TYPE)) return null;
  if (!text.startsWith(PAYLOAD, first + 1) || !text.startsWith(REFS, second + 1)) return null;
  return {
    type: text.slice(TYPE.length, first),
    payload: text.slice(first + 1 + PAYLOAD.length, second),
    refs: text.slice(second + 1 + REFS.length, third),
  };
}

function notANode(problem: string): Result<never, Failure> {
  return err(
    failure(
      "CAS_NOT_A_NODE",
      `not a node: ${problem}`,
      "check the store: uncaged-workflow cas fsck",
    ),
  );
}
