import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Has the person write a text in their editor, which runs as git runs it: by a shell, so that it may have arguments.
 *  null: the editor failed. */
export function editText(editor: string, suggestion: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), "uncaged-answer-"));
  try {
    const file = join(folder, "answer.md");
    writeFileSync(file, suggestion, { mode: 0o600 });
    // The editor draws on stderr's terminal: stdout holds the command's document.
    const stdio = ["inherit", process.stderr.fd, "inherit"] as const;
    const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: [...stdio] });
    return status === 0 ? readFileSync(file, "utf8").trimEnd() : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
