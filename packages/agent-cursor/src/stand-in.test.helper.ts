import { type StandIn, standInProgram } from "@uncaged/workflow-util-agent/testing";

/** Creates an executable in place of the agent's: its prompt says what it does in a turn. */
export function standIn(folder: string): Promise<StandIn> {
  return standInProgram(folder, { name: "cursor-agent", answers: ANSWERS });
}

const ANSWERS = `
if (argv[0] === "--version") {
  console.log("2026.01.28-fd13201");
  process.exit(0);
}
if (argv[0] === "--help") {
  console.log("Commands:\\n  login\\n  acp  Start the agent as an ACP server");
  process.exit(0);
}
if (argv[0] === "status") {
  console.log(process.env.LOG_IN_HOME ? "Logged in as ada@mail.example" : "Not logged in");
  process.exit(0);
}
`;
