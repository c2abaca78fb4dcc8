import type { CommandGroup } from "../command.ts";
import { list, ps, show, verify } from "./look-commands.ts";
import { exec, fork, live, run } from "./start-commands.ts";
import { kill, pause, resume, rm, stop } from "./steer-commands.ts";

export const threadCommands: CommandGroup = {
  commands: { run, exec, list, show, live, ps, pause, resume, stop, kill, fork, verify, rm },
};
