import type { Command } from "../command/command.ts";
import { type Argument, type Option, requiredArgument, textOption } from "../command/options.ts";

const name: Argument<string> = requiredArgument("name", "name to publish the workflow under");
const prompt: Option<string | null> = textOption(
  "--prompt <text>",
  "what happens today, who does it, and who decides (default: asked for)",
);
const thread: Option<string | null> = textOption(
  "--thread <id>",
  "go on with a thread that was begun before",
);

export const teach: Command = {
  description:
    "Describe a workflow in your own words; the default agent drafts it, the engine checks it, you decide.",
  arguments: [name],
  options: [prompt, thread],
  example: 'letters --prompt "A colleague drafts letters, and I read each before it goes out"',
  run: async (given, io) =>
    (await import("./teach.ts")).teach(
      { name: given(name), words: given(prompt) ?? "", thread: given(thread) },
      io,
    ),
};
