/** A writer and an editor: a headline goes back and forth until it is short enough.
 *  Roles say what is to be done; who does it is bound in agents.ts. */
import { defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const writer = defineRole({
  description: "Writes a headline for a text",
  schema: z.object({ headline: z.string() }),
  extractRefs: null,
  systemPrompt: `You are the writer. Write one headline for the text you are given: what is new in it, in plain words.
When the editor sends it back, write another that answers the complaint.`,
});

const editor = defineRole({
  description: "Accepts a headline or says what is wrong with it",
  schema: z.object({
    status: z.enum(["accepted", "rejected"]),
    /** Null when accepted. */
    problem: z.string().nullable(),
  }),
  extractRefs: null,
  systemPrompt: `You are the editor. Accept the last headline if it has at most 40 characters; otherwise say what is wrong.`,
});

export const definition = defineWorkflow({
  description: "Writes a headline that an editor accepts",
  roles: { writer, editor },
  table: {
    [START]: [{ condition: "FALLBACK", role: "writer" }],
    writer: [{ condition: "FALLBACK", role: "editor" }],
    // Tried in order; the first that holds is taken.
    editor: [
      { condition: { name: "accepted", when: "last.meta.status = 'accepted'" }, role: END },
      { condition: { name: "triedEnough", when: "byRole.writer.count >= 3" }, role: END },
      {
        condition: "FALLBACK",
        role: "writer",
        prompt: "The editor sent it back: {{ last.meta.problem }}",
      },
    ],
  },
});
