import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellCommand } from "./shell-command.ts";

describe("shellCommand", () => {
  it.each([
    ["/bin/bash -lc 'cat out.txt'", "cat out.txt"],
    ["/bin/bash -lc false", "false"],
    ["/usr/bin/zsh -c 'npm test'", "npm test"],
    [`/bin/bash -lc "echo 'a b' \\"\\$HOME\\" \\\\n"`, `echo 'a b' "$HOME" \\n`],
    [`bash -lc 'it'"'"'s'`, "it's"],
    ["/bin/bash -lc ''", ""],
  ])("extracts the line from %s", (reported, line) => {
    expect(shellCommand(reported)).toBe(line);
  });

  it.each([
    "npm test",
    "/bin/bash script.sh",
    "/bin/bash -lc 'a' extra",
    "/bin/bash -lc 'never closed",
    `/bin/bash -lc "never closed`,
    "",
  ])("returns %j unchanged", (reported) => {
    expect(shellCommand(reported)).toBe(reported);
  });

  it("returns whatever was quoted", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab '\"\\$`\n\té😀") }), (line) => {
        const single = `'${line.replaceAll("'", `'\\''`)}'`;
        const double = `"${line.replaceAll(/["\\$`]/g, (char) => `\\${char}`)}"`;
        expect(shellCommand(`/bin/bash -lc ${single}`)).toBe(line);
        expect(shellCommand(`/bin/bash -lc ${double}`)).toBe(line);
      }),
    );
  });
});
