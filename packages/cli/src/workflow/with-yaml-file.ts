/** A workflow that is only a text, for what reads a file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";

export type NamedYaml = { name: string; yaml: string };

/** What is said about the file names it as if it were in the working directory. It is gone when `use` has returned. */
export async function withYamlFile<T>(
  { name, yaml }: NamedYaml,
  use: (file: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const folder = mkdtempSync(join(tmpdir(), "uncaged-text-"));
  try {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, yaml, { mode: 0o600 });
    const used = await use(file);
    if (used.ok) return used;
    const { code, message, hint } = used.error;
    return err(failure(code, message.replaceAll(file, `${name}.yaml`), hint));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
