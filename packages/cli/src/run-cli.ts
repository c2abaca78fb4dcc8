/** One call of the command line, from its words to its exit code. */
import {
  EXIT,
  type ExitCode,
  exitCodeOf,
  type Failure,
  STEP_ERRAND_ENV,
  STEP_STORE_ENV,
} from "@uncaged/workflow-protocol";
import type { Io } from "./command/io.ts";
import { failureOfThrown, renderFailure } from "./command/render-error.ts";
import { renderOutput } from "./command/render-output.ts";
import { writeText } from "./command/write-text.ts";
import { type CommandLine, parseCommandLine } from "./parse-command-line.ts";
import { styleOf } from "./terminal/style.ts";

export async function runCli(argv: readonly string[], world: Omit<Io, "json">): Promise<number> {
  try {
    return await answer(await parseCommandLine(argv), argv, world);
  } catch (thrown) {
    return complain(failureOfThrown(thrown), {
      stderr: world.stderr,
      json: argv.includes("--json"),
    });
  }
}

async function answer(
  line: CommandLine,
  argv: readonly string[],
  world: Omit<Io, "json">,
): Promise<number> {
  switch (line.kind) {
    case "help":
      await world.stdout.write(line.text);
      return EXIT.success;
    case "version":
      await renderOutput(await version(), { ...world, json: line.json });
      return EXIT.success;
    case "usageError":
      if (line.help !== "" && !line.json) await writeText(world.stderr, line.help);
      else await complain(line.failure, { ...world, json: line.json });
      return EXIT.usage;
    case "call":
      return call({ ...line, argv }, { ...world, json: line.json });
  }
}

type Call = Extract<CommandLine, { kind: "call" }> & { argv: readonly string[] };

async function call({ command, given, argv }: Call, io: Io): Promise<number> {
  if (STEP_STORE_ENV in io.env || STEP_ERRAND_ENV in io.env) {
    const { inStep } = await import("./command/in-step.ts");
    const elsewhere = await inStep({ command, given, argv }, io);
    if (elsewhere !== null) return elsewhere.ok ? elsewhere.value : complain(elsewhere.error, io);
  }
  const result = await command.run(given, io);
  if (!result.ok) return complain(result.error, io);
  await renderOutput(result.value, io);
  return result.value.exitCode ?? EXIT.success;
}

async function complain(reason: Failure, io: Pick<Io, "json" | "stderr">): Promise<ExitCode> {
  await writeText(io.stderr, renderFailure(reason, { json: io.json, style: styleOf(io.stderr) }));
  return exitCodeOf(reason.code);
}

async function version(): Promise<{ document: unknown; human: () => string }> {
  const { cliVersion } = await import("./command/cli-version.ts");
  return { document: { version: cliVersion() }, human: cliVersion };
}
