import { type CasNode, isHash, isThreadId } from "@uncaged/workflow-protocol";
import { escapeUnprinted, UNPRINTED } from "./canonical-json.ts";

/** A node as block YAML for people. Ids are always quoted, since some look like numbers; characters that do not print,
 *  and could control a terminal, are escaped. The YAML library is loaded on the first call: nothing else needs it. */
export async function nodeToYaml(node: CasNode): Promise<string> {
  const { Document, Scalar, visit } = await import("yaml");
  const document = new Document({ type: node.type, payload: node.payload, refs: node.refs });
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === "string" && needsQuotes(scalar.value)) {
        scalar.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  // Non-printing characters can only be inside double quotes now, so they can be escaped in place.
  return escapeUnprinted(document.toString({ lineWidth: 0 }));
}

function needsQuotes(text: string): boolean {
  return isHash(text) || isThreadId(text) || UNPRINTED.test(text);
}
