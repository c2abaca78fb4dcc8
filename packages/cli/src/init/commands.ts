import type { Command } from "../command.ts";
import { choiceOption, optionalArgument } from "../options.ts";
import { TEMPLATES } from "./templates.ts";

const dir = optionalArgument(
  "dir",
  "folder of the new project, empty or not there yet (default: this one)",
);
const template = choiceOption(
  "-t, --template <template>",
  "what to start from: two small roles, plan-code-review-test-commit, or a workflow without code",
  TEMPLATES,
);

export const init: Command = {
  description: "Make a workflow project that builds, tests and runs at once.",
  arguments: [dir],
  options: [template],
  example: "my-flows --template minimal",
  run: async (given, io) => {
    const { makeProject } = await import("./init.ts");
    return makeProject({ dir: given(dir) ?? ".", template: given(template) ?? "minimal" }, io);
  },
};
