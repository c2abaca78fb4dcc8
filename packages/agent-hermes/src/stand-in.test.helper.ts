import { type StandIn, standInProgram } from "@uncaged/workflow-util-agent/testing";

/** Creates an executable in place of the agent's: its prompt says what it does in a turn. */
export function standIn(folder: string): Promise<StandIn> {
  return standInProgram(folder, { name: "hermes", answers: ANSWERS });
}

const ANSWERS = `
if (argv[0] === "--version") {
  console.log("Hermes Agent v0.21.3 (2026.10.2)");
  process.exit(0);
}
`;
