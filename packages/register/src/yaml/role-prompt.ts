/** What an agent is told about its role: its name, goal, capabilities and procedure, each under a heading. */
export function rolePrompt(
  name: string,
  role: {
    goal: string;
    capabilities: readonly string[];
    /** A text, or steps to number. */
    procedure: string | readonly string[] | null;
  },
): string {
  const { goal, capabilities, procedure } = role;
  const sections = [`You are the ${name}.`, `# Goal\n\n${goal.trim()}`];
  if (capabilities.length > 0)
    sections.push(`# What you can do\n\n${listed(capabilities, () => "-")}`);
  if (typeof procedure === "string") sections.push(`# Procedure\n\n${procedure.trim()}`);
  else if (procedure !== null) {
    sections.push(`# Procedure\n\n${listed(procedure, (at) => `${at + 1}.`)}`);
  }
  return sections.join("\n\n");
}

function listed(texts: readonly string[], mark: (at: number) => string): string {
  return texts.map((text, at) => `${mark(at)} ${text.trim()}`).join("\n");
}
