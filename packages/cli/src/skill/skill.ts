import { readFile } from "node:fs/promises";
import { type Ok, ok } from "@uncaged/workflow-protocol";
import type { CommandEntry, Output } from "../command/command.ts";
import { allCommands } from "../command/command-tree.ts";
import { commandReference, exitCodeTable } from "./reference.ts";
import { ABOUT, TOPICS, type Topic } from "./topics.ts";

const SKILLS = new URL("../../skills/", import.meta.url);

/** A topic's text. Its commands and exit codes come from the program itself. */
export async function skillText(
  topic: Topic,
  entries: readonly CommandEntry[],
): Promise<Ok<Output>> {
  const written = await readFile(new URL(`${topic}.md`, SKILLS), "utf8");
  const text = written
    .replace("<!-- commands -->\n", commandReference(await allCommands(entries)))
    .replace("<!-- exit codes -->\n", exitCodeTable());
  return ok({ document: { topic, text }, verbatim: text });
}

export function listTopics(): Ok<Output> {
  const topics = TOPICS.map((topic) => ({ topic, about: ABOUT[topic] }));
  return ok({
    document: { topics },
    human: ({ bold }) => {
      const lines = topics.map(({ topic, about }) => `  ${bold(topic.padEnd(8))} ${about}`);
      return ["Topics:", ...lines, "", "Read one with: uncaged-workflow skill <topic>"].join("\n");
    },
  });
}
