/** Who plays the roles. Nothing here needs a model: the writer is a few lines of code, the editor a program.
 *  Put another agent in their place, and nothing else changes. */
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import type { AdapterFn } from "@uncaged/workflow-runtime";

const MAX_CHARACTERS = 40;

/** Takes the text for the headline, and half as many of its words each time it is sent back. */
export const writer: AdapterFn =
  (_prompt, schema) =>
  async ({ start, steps }) => {
    const words = start.content.trim().split(/\s+/);
    const tries = steps.filter(({ role }) => role === "writer").length;
    const headline = words.slice(0, Math.ceil(words.length / 2 ** tries)).join(" ");
    return { meta: schema.parse({ headline }), childThread: null };
  };

/** Runs a real program: it gets the headline on stdin and prints how many characters it has. */
export const editor: AdapterFn = createCommandAgent({
  command: process.execPath,
  args: ["--print", "require('node:fs').readFileSync(0, 'utf8').length"],
  stdin: ({ ctx }) => String(ctx.steps.at(-1)?.meta.headline),
  toMeta: ({ output }) => {
    const characters = Number(output);
    if (characters <= MAX_CHARACTERS) return { status: "accepted", problem: null };
    return {
      status: "rejected",
      problem: `it has ${characters} characters, ${MAX_CHARACTERS} are allowed`,
    };
  },
});
