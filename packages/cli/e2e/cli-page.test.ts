/** docs/cli.md is generated from the commands themselves. After changing one, run this file with `--update`. */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { allCommands, type NamedCommand } from "../src/command/command-tree.ts";
import { fakeIo } from "../src/command/io.test.helper.ts";
import { COMMANDS } from "../src/commands.ts";
import { runCli } from "../src/run-cli.ts";

const PAGE = fileURLToPath(new URL("../../../docs/cli.md", import.meta.url));

it("docs/cli.md documents every command as the command itself does", async () => {
  const commands = await documented();
  await expect(HEAD + commands.map(entry).join("\n")).toMatchFileSnapshot(PAGE);
});

it("the help of every command matches docs/cli.md", async () => {
  for (const { path, command } of await documented()) {
    const io = fakeIo({});
    const code = await runCli([...path, "--help"], io);
    expect({ path, code }).toEqual({ path, code: 0 });
    const help = oneLine(io.out());
    expect(help).toContain(oneLine(command.description));
    for (const { flags, description } of command.options) {
      expect(help).toContain(oneLine(`${flags} ${description}`));
    }
    expect(help).toContain(`$ ${call({ path, command })}`);
  }
});

/** Each command once, under its own name, where its aliases are listed. */
async function documented(): Promise<NamedCommand[]> {
  const named = await allCommands(COMMANDS);
  return named.filter(({ path, command }) => path.at(-1) !== command.alias);
}

function entry({ path, command }: NamedCommand): string {
  const words = [...path, ...command.arguments.map(({ declaration }) => declaration)];
  const rows = [
    ...command.arguments.map(({ declaration, description }) => row(declaration, description)),
    ...command.options.map(({ flags, description }) => row(flags, description)),
  ];
  const table = rows.length === 0 ? "" : `\n| | |\n|---|---|\n${rows.join("")}`;
  const alias = command.alias === undefined ? "" : ` Also called \`${command.alias}\`.`;
  return `## \`${words.join(" ")}\`

${command.description}${alias}
${table}
\`\`\`
$ ${call({ path, command })}
\`\`\`
`;
}

function call({ path, command }: NamedCommand): string {
  return ["uncaged-workflow", ...path, command.example].join(" ").trim();
}

function row(name: string, meaning: string): string {
  return `| \`${name}\` | ${meaning.replace(/[|<]/g, "\\$&")} |\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const HEAD = `# The command line

\`uncaged-workflow\`, or \`uwf\` for short. In a clone, \`npm run link\` installs it; once it is published,
\`npm install --global @uncaged/cli-workflow\` does. This page is generated from
the commands' own help; \`uncaged-workflow <command> --help\` prints the same.

- Every command takes \`--json\`: then stdout contains one JSON document, or nothing if the command
  failed; a failure is \`{ "error": { "code", "message", "hint" } }\` on stderr. For the codes see
  [errors](errors/README.md), for the exit codes [operations](operations.md#exit-codes).
- A thread id may be shortened to any unambiguous beginning or end.
- Everything is stored under \`~/.uncaged/workflow\`; see [storage](storage.md).

`;
