import { type CasNode, isHash } from "@uncaged/workflow-protocol";

/** A node as block YAML for people. Hashes are always quoted, since some look like numbers.
 *  The YAML library is loaded on the first call: only this needs it. */
export async function nodeToYaml(node: CasNode): Promise<string> {
  const { Document, Scalar, visit } = await import("yaml");
  const document = new Document({ type: node.type, payload: node.payload, refs: node.refs });
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === "string" && isHash(scalar.value))
        scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}
