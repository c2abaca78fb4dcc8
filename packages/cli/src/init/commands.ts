import type { Command } from "../command/command.ts";
import { choiceOption, optionalArgument, switchOption, usageError } from "../command/options.ts";
import { TEMPLATES } from "./templates.ts";

const dir = optionalArgument("dir", "folder of the new project, empty or new (default: this one)");
const template = choiceOption(
  "-t, --template <template>",
  "what to start from: two small roles, plan-code-review-test-commit, or a workflow without code",
  TEMPLATES,
);
const update = switchOption(
  "--update",
  "update the @uncaged packages of an existing project to this release instead",
);

export const init: Command = {
  description: "Create a workflow project that builds, tests and runs at once.",
  arguments: [dir],
  options: [template, update],
  example: "my-flows --template minimal",
  run: async (given, io) => {
    const folder = given(dir) ?? ".";
    if (given(update) && given(template) !== null)
      throw usageError("--update and --template cannot be combined");
    if (given(update)) return (await import("./update-project.ts")).updateProject(folder, io);
    const { makeProject } = await import("./init.ts");
    return makeProject({ dir: folder, template: given(template) ?? "minimal" }, io);
  },
};
