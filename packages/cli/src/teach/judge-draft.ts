/** What the engine says of a draft: its faults, or the workflow in plain sentences and what dry runs of it did. */
import { graphOf, sentencesOf } from "@uncaged/workflow-editor";
import { checkTable } from "@uncaged/workflow-execute";
import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { Io } from "../command/io.ts";
import { checkYaml } from "../workflow/check-yaml.ts";
import { walk } from "./walk.ts";

export type Judged = {
  status: "sound" | "faulty";
  /** For people and for the drafter. */
  said: string;
};

export async function judgeDraft(yaml: string, io: Io): Promise<Judged> {
  const checked = await checkYaml({ name: "draft", yaml }, io);
  if (!checked.ok) return faulty(checked.error.message);
  const { descriptor } = checked.value;
  const faults = checkTable(descriptor).filter(({ level }) => level === "fault");
  if (faults.length > 0)
    return faulty(faults.map(({ place, message }) => `${place}: ${message}`).join("\n"));
  return tried(yaml, descriptor);
}

function faulty(said: string): Judged {
  return { status: "faulty", said };
}

async function tried(yaml: string, descriptor: WorkflowDescriptor): Promise<Judged> {
  const { failures, untaken, ends } = await walk(descriptor);
  if (failures.length > 0) return faulty(`In a dry run:\n${failures.join("\n")}`);
  const outline = graphOf(yaml);
  const sentences = outline.ok ? sentencesOf(outline.value) : [];
  const notes = untaken.map(({ from, to, condition }) => `${from} → ${to} (${condition})`);
  return {
    status: "sound",
    said: [
      ...sentences.map((sentence) => `- ${sentence}`),
      "",
      `Tried ${ends} times with made-up answers: it came to an end or asked a person each time.`,
      ...(notes.length === 0 ? [] : [`Not tried: ${notes.join(", ")}.`]),
    ].join("\n"),
  };
}
