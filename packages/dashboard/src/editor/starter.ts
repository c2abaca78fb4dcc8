/** What a new workflow begins with: somebody drafts, a person approves. */
export const STARTER = `description: Somebody drafts, a person approves

roles:
  drafter:
    goal: Draft what is asked for
    output:
      type: object
      properties:
        text: { type: string, description: The draft }
      required: [text]

  approval:
    by: person
    goal: Say whether it may go out
    output:
      type: object
      properties:
        status: { enum: [approved, changes] }
        wish: { type: string, description: What shall be changed; empty when you approve }
      required: [status]

graph:
  $START: { new: drafter }
  drafter: { role: approval, prompt: "{{ last.meta.text }}" }
  approval:
    approved: $END
    changes: { role: drafter, prompt: "{{ last.meta.wish }}" }
`;
