import { claudeCode } from "../src/agents/claude-code.ts";
import { installPrograms } from "../src/index.ts";
import { describeCoordinator } from "./describe-coordinator.ts";

describeCoordinator(async () => {
  const [program] = await installPrograms([claudeCode.program]);
  if (program === undefined) throw new Error("claude is not installed");
  return (url) => claudeCode.binding(program, url);
});
