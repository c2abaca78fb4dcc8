import { styleOf } from "../terminal/style.ts";
import type { Io } from "./io.ts";
import { writeText } from "./write-text.ts";

/** Prints on stderr what a person should know although the command succeeded. */
export async function warn(io: Pick<Io, "stderr">, warnings: readonly string[]): Promise<void> {
  const { yellow } = styleOf(io.stderr);
  for (const warning of warnings) await writeText(io.stderr, `${yellow("warning:")} ${warning}\n`);
}
