import { acpCopilot } from "../src/agents/acp.ts";
import { installPrograms } from "../src/index.ts";
import { describeCoordinator } from "./describe-coordinator.ts";

describeCoordinator(async () => {
  const [program] = await installPrograms([acpCopilot.program]);
  if (program === undefined) throw new Error("copilot is not installed");
  return (url) => acpCopilot.binding(program, url);
});
