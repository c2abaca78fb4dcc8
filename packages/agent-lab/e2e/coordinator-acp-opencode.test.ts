import { acpOpencode } from "../src/agents/acp.ts";
import { installPrograms } from "../src/index.ts";
import { describeCoordinator } from "./describe-coordinator.ts";

describeCoordinator(async () => {
  const [program] = await installPrograms([acpOpencode.program]);
  if (program === undefined) throw new Error("opencode is not installed");
  return (url) => acpOpencode.binding(program, url);
});
