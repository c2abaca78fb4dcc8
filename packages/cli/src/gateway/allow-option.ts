import { type Option, parsedOption, usageError } from "../command/options.ts";

export type Allowed = "read" | "run" | "answer" | "edit";
const ALL: readonly Allowed[] = ["read", "run", "answer", "edit"];

export const allowOption: Option<readonly Allowed[] | null> = parsedOption(
  "--allow <scopes>",
  "what it lets people do, of read, run, answer and edit, with commas (default: read,run,answer)",
  allowed,
);

function allowed(text: string, name: string): readonly Allowed[] {
  const words = text.split(",");
  const wrong = words.find((word) => !ALL.some((each) => each === word));
  if (wrong !== undefined)
    throw usageError(`${name} has no ${JSON.stringify(wrong)}`, `give some of ${ALL.join(",")}`);
  return ALL.filter((each) => words.includes(each));
}
