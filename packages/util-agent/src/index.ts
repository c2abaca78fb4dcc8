export { type CapturedOutput, captureOutput, type OutputCapture } from "./captured-output.ts";
export { cliEnvironment, type Environment, type EnvironmentChoice } from "./cli-environment.ts";
export type { CliRun, CliStop, SpawnCliOptions } from "./cli-run.ts";
export type { OutputLine } from "./line-reader.ts";
export { redactor } from "./redact.ts";
export { spawnCli } from "./spawn-cli.ts";
