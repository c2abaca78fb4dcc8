import { codex } from "../src/agents/codex.ts";
import { installPrograms } from "../src/index.ts";
import { describeCoordinator } from "./describe-coordinator.ts";

describeCoordinator(async () => {
  const [program] = await installPrograms([codex.program]);
  if (program === undefined) throw new Error("codex is not installed");
  return (url) => codex.binding(program, url);
});
