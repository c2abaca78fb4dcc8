import { decodeNode } from "@uncaged/workflow-cas";
import { err, failure, ok } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { readStored } from "../cas/get.ts";
import { storeText } from "../cas/put.ts";
import { type Tool, toolOf } from "./tool.ts";

const get: Tool = toolOf({
  name: "cas_get",
  description:
    "Returns a stored text by its hash, page by page; for a blob that is a node and not a text, the stored node.",
  arguments: z.strictObject({
    hash: z.string(),
    offset: z.int().nonnegative().optional().describe("character to begin with; default 0"),
    limit: z.int().positive().optional().describe("characters at most; default 20000"),
  }),
  readOnly: true,
  async call({ hash, offset = 0, limit = 20_000 }, { io }) {
    const blob = await readStored(hash, io);
    if (!blob.ok) return blob;
    const node = decodeNode(blob.value);
    const text = node.ok && node.value.type === "content" ? node.value.payload : blob.value;
    const chars = text.length;
    if (offset > chars) {
      return err(failure("USAGE", `${hash} has ${chars} characters`, "give a smaller `offset`"));
    }
    const end = Math.min(offset + limit, chars);
    const more =
      end < chars ? `\n[… ${chars - end} more characters; continue at offset ${end} …]` : "";
    const page = text.slice(offset, end) + more;
    return ok({ document: { hash, text: page }, verbatim: page });
  },
});

const put: Tool = toolOf({
  name: "cas_put",
  description: "Stores a text and returns its hash. The same text has the same hash.",
  arguments: z.strictObject({ text: z.string() }),
  readOnly: false,
  async call({ text }, { io }) {
    const stored = await storeText(text, io);
    return stored.ok ? ok({ document: { hash: stored.value }, human: () => stored.value }) : stored;
  },
});

export const STORE_TOOLS: readonly Tool[] = [get, put];
