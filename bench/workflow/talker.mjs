/** One role, as often as the prompt says, which waits, says so much meanwhile, and answers so much: `{ "steps": 3, "waitMs": 100,
 *  "says": 10, "answerBytes": 2000 }`. What it says are lines of 200 bytes. Nothing of it repeats, so that nothing compresses
 *  better than prose does. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  START,
} from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "talks, and answers",
  roles: {
    talker: defineRole({
      description: "talks",
      systemPrompt: "Talk.",
      schema: z.object({ left: z.number() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "talker" }],
    talker: [
      { condition: { name: "more", when: "last.meta.left > 0" }, role: "talker" },
      { condition: "FALLBACK", role: END },
    ],
  },
});

const text = (bytes) => randomBytes(bytes / 2).toString("hex");

const talker = () => async (ctx, runtime) => {
  const { steps, waitMs, says, answerBytes } = JSON.parse(ctx.start.content);
  for (let at = 0; at < says; at += 1) {
    await sleep(waitMs / says, undefined, { signal: runtime.signal });
    runtime.emit({ type: "text", text: `${text(198)}\n` });
  }
  await sleep(says === 0 ? waitMs : 0, undefined, { signal: runtime.signal });
  const meta = { left: steps - ctx.steps.length - 1 };
  return { meta, childThread: null, content: text(answerBytes) };
};

export const run = createWorkflow(definition, { adapter: talker, overrides: null });
export const descriptor = buildDescriptor(definition);
