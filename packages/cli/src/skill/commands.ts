import type { Command, CommandEntry } from "../command/command.ts";
import { choiceArgument } from "../command/options.ts";
import { TOPICS } from "./topics.ts";

const topic = choiceArgument(
  "topic",
  "what to explain; without one, the topics are listed",
  TOPICS,
);

/** `entries`: the commands that the texts describe. */
export function skillCommand(entries: readonly CommandEntry[]): Command {
  return {
    description: "Print what an agent should know, as Markdown.",
    arguments: [topic],
    options: [],
    example: "cli",
    run: async (given) => {
      const { listTopics, skillText } = await import("./skill.ts");
      const chosen = given(topic);
      return chosen === null ? listTopics() : skillText(chosen, entries);
    },
  };
}
