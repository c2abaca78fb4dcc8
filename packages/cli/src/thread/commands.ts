import type { CommandGroup } from "../command/command.ts";
import { bisect, context, diff, inbox, list, ps, result, show, wait } from "./look-commands.ts";
import { attest, exportThread, importThread, recover, verify } from "./provenance-commands.ts";
import { exec, fork, live, race, run } from "./start-commands.ts";
import {
  answer,
  kill,
  label,
  pause,
  poke,
  prune,
  resume,
  rm,
  stop,
  upgrade,
} from "./steer-commands.ts";

export const threadCommands: CommandGroup = {
  commands: {
    run,
    exec,
    list,
    inbox,
    show,
    result,
    context,
    live,
    wait,
    ps,
    pause,
    resume,
    answer,
    stop,
    kill,
    poke,
    fork,
    race,
    upgrade,
    label,
    diff,
    bisect,
    verify,
    attest,
    export: exportThread,
    import: importThread,
    recover,
    rm,
    prune,
  },
};
