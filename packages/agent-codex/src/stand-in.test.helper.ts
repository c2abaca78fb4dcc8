import { type StandIn, standInProgram } from "@uncaged/workflow-util-agent/testing";

/** Creates an executable in place of the agent's: its prompt says what it does in a turn. */
export function standIn(folder: string): Promise<StandIn> {
  return standInProgram(folder, { name: "codex", answers: ANSWERS });
}

const ANSWERS = `
if (argv[0] === "--version") {
  console.log("codex-cli 0.169.0");
  process.exit(0);
}
if (argv[0] === "login") {
  console.error(process.env.LOG_IN_HOME ? "Logged in using ChatGPT" : "Not logged in");
  process.exit(process.env.LOG_IN_HOME ? 0 : 1);
}
`;
