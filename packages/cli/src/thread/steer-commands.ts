/** Commands that steer a thread which another process may run. */
import type { ThreadLimits } from "@uncaged/workflow-protocol";
import type { Command } from "../command.ts";
import { type Given, misuse, type Option, switchOption, textOption } from "../options.ts";
import { promptFileOption, promptOption, promptSource } from "../prompt.ts";
import { limitOptions, limitsOf } from "./limit-options.ts";
import { threadId } from "./start-commands.ts";
import { stayOf, stayOptions } from "./stay-options.ts";

export const pause: Command = {
  description: "Close the gate: the thread rests after its current step.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  run: async (given, io) => (await import("./steer.ts")).pause(given(threadId), io),
};

const limitedRole: Option<string | null> = textOption(
  "--role <role>",
  "raise the limits of this role in place of the thread's",
);
export const resume: Command = {
  description: "Open the gate, answer a question, raise a limit, or go on where a runner left off.",
  arguments: [threadId],
  options: [promptOption, promptFileOption, ...stayOptions, ...limitOptions, limitedRole],
  example: '7F3K --prompt "Yes, the second one" --wait',
  run: async (given, io) =>
    (await import("./steer.ts")).resume(
      {
        id: given(threadId),
        answer: promptSource(given),
        limits: raised(given),
        stay: stayOf(given),
      },
      io,
    ),
};

function raised(given: Given): ThreadLimits | null {
  const [limits, role] = [limitsOf(given), given(limitedRole)];
  if (role === null) return limits;
  if (limits === null)
    throw misuse("--role says whose limits to raise: name one, such as --max-steps");
  return { roles: { [role]: limits } };
}

export const stop: Command = {
  description: "End the runner now; the thread can be resumed.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  run: async (given, io) => (await import("./steer.ts")).stop(given(threadId), io),
};

export const kill: Command = {
  description: "Abort for good: end every process of the thread and record return code 130.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  run: async (given, io) => (await import("./steer.ts")).kill(given(threadId), io),
};

export const rm: Command = {
  description: "Forget a thread that nobody runs. Its blobs go with the next cas gc.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  run: async (given, io) => (await import("./rm.ts")).remove(given(threadId), io),
};

const to: Option<string | null> = textOption(
  "--to <version>",
  "workflow, workflow@hash, or a hash (default: what the workflow's name stands for now)",
);
export const upgrade: Command = {
  description: "Go on with another version, if it leaves all that the thread did as it was.",
  arguments: [threadId],
  options: [to],
  example: "7F3K",
  run: async (given, io) =>
    (await import("./upgrade.ts")).upgrade({ id: given(threadId), to: given(to) }, io),
};

const pokeAgent: Option<string | null> = textOption(
  "--agent <name>",
  "an agent of config.agents, in place of the one that made the step",
);
const undo: Option<boolean> = switchOption(
  "--undo",
  "put back the step that the last poke replaced",
);
export const poke: Command = {
  description: "Run the last step again with an extra prompt; the new step replaces it.",
  arguments: [threadId],
  options: [promptOption, promptFileOption, pokeAgent, undo],
  example: '7F3K --prompt "Shorter, please"',
  run: async (given, io) => {
    const { poke, undo: undoPoke } = await import("./poke.ts");
    const [id, agent] = [given(threadId), given(pokeAgent)];
    if (!given(undo)) return poke({ id, prompt: promptSource(given), agent }, io);
    if (given(promptOption) !== null || given(promptFileOption) !== null || agent !== null) {
      throw misuse("--undo brings the replaced step back: it takes no prompt and no agent");
    }
    return undoPoke(id, io);
  },
};
