/** A step's store as tools, for an agent in a sandbox whose commands may not connect to a socket. Under the names of
 *  `uncaged-workflow mcp`. */
import {
  type EngineTool,
  failureFrom,
  type JsonObject,
  type JsonValue,
  type ToolPolicy,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { policyVerdict } from "@uncaged/workflow-util/tool-rules";
import { readContent } from "../answer/read-content.ts";
import type { McpTool } from "../prompt/thread-access.ts";
import { answerFromStore, type StepStore } from "./step-store.ts";

const PAGE_CHARS = 20_000;

/** Those that the policy allows. */
export function storeTools(store: StepStore, policy: ToolPolicy | null): EngineTool[] {
  const all = [contextTool(store), getTool(store), putTool(store)];
  return all.filter(
    ({ name }) => policyVerdict(policy, { kind: "other", name, subject: "" }).allowed,
  );
}

function contextTool(store: StepStore): EngineTool {
  return toolOf({
    name: "thread_context",
    description:
      "The latest page of this thread's conversation. It says which `before` returns the previous page.",
    properties: { thread: { type: "string" }, before: { type: "integer", minimum: 1 } },
    required: [],
    readOnly: true,
    async run({ thread = store.threadId, before = null }) {
      if (typeof thread !== "string" || (before !== null && !isPlace(before, 1)))
        throw new Error("`before` is the number of a round, `thread` an id");
      const request = { call: "context", thread, budgetChars: null, before } as const;
      const answer = await answerFromStore(store, request);
      if (!answer.ok) throw new Error(`${answer.error.message}; ${answer.error.hint}`);
      return "text" in answer ? answer.text : "";
    },
  });
}

function getTool({ cas }: StepStore): EngineTool {
  return toolOf({
    name: "cas_get",
    description: "Returns a stored text by its hash, page by page.",
    properties: { hash: { type: "string" }, offset: { type: "integer", minimum: 0 } },
    required: ["hash"],
    readOnly: true,
    async run({ hash, offset = 0 }) {
      if (typeof hash !== "string" || !isPlace(offset, 0))
        throw new Error("`hash` has 13 characters, `offset` is a number of characters");
      const text = await readContent(cas, hash);
      const end = Math.min(offset + PAGE_CHARS, text.length);
      const left = Math.max(0, text.length - end);
      const more = left === 0 ? "" : `\n[… ${left} more characters; continue at offset ${end} …]`;
      return text.slice(offset, end) + more;
    },
  });
}

function putTool(store: StepStore): EngineTool {
  return toolOf({
    name: "cas_put",
    description: "Stores a text and returns its hash. The same text has the same hash.",
    properties: { text: { type: "string" } },
    required: ["text"],
    readOnly: false,
    async run({ text }) {
      if (typeof text !== "string") throw new Error("`text` is the text to store");
      return store.cas.put(store.redact(text));
    },
  });
}

function isPlace(value: JsonValue, least: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least;
}

function toolOf({
  properties,
  required,
  run,
  ...about
}: Pick<EngineTool, "description" | "readOnly"> & {
  name: McpTool;
  properties: JsonObject;
  required: string[];
  run(input: { readonly [name: string]: JsonValue | undefined }): Promise<string>;
}): EngineTool {
  return {
    ...about,
    parameters: { type: "object", properties, required, additionalProperties: false },
    async call(input) {
      try {
        return { text: await run(toJsonObject(input) ?? {}), ok: true };
      } catch (thrown) {
        return { text: failureFrom(thrown, "STORAGE_FAILED").message, ok: false };
      }
    },
  };
}
