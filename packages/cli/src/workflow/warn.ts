import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import { styleOf } from "../style.ts";

/** Says on stderr what a person should know although the command succeeded. */
export async function warn(io: Pick<Io, "stderr">, warnings: readonly string[]): Promise<void> {
  const { yellow } = styleOf(io.stderr);
  for (const warning of warnings)
    await io.stderr.write(`${yellow("warning:")} ${printable(warning)}\n`);
}
