/** Workflows as a text, from an editor: what is wrong with one, what it would do, and its publication. */
import { checkTable, findVersion, parseStubs } from "@uncaged/workflow-execute";
import type { Api, CheckedText, DryRunResult, TextFault } from "@uncaged/workflow-gateway/contract";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { spanOf, yamlFaults } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { openRegistry } from "../command/open-registry.ts";
import { ruleChecker } from "../command/rule-checker.ts";
import { tried } from "../thread/start/dry-run.ts";
import { add } from "../workflow/add.ts";
import { checkYaml } from "../workflow/check-yaml.ts";
import { type NamedYaml, withYamlFile } from "../workflow/with-yaml-file.ts";

/** The bundle that the text compiles to is checked in a restricted process, as everywhere. */
export async function checkText(yaml: string, io: Io): Promise<Result<CheckedText, Failure>> {
  const { checks } = ruleChecker();
  const faults = yamlFaults(yaml, checks);
  if (faults.length > 0) {
    const own = faults.map(
      ({ span, message }): TextFault => ({
        level: "fault",
        message,
        place: null,
        span: placed(span, yaml),
      }),
    );
    return ok({ ok: false, hash: null, descriptor: null, faults: own });
  }
  const compiled = await checkYaml({ name: "workflow", yaml }, io);
  if (!compiled.ok) return compiled;
  const { hash, descriptor, source, notes } = compiled.value;
  const found = checkTable(descriptor).map(({ level, message, place, ...rest }): TextFault => {
    const span = source === null ? null : spanOf(source, { level, message, place, ...rest });
    return { level, message, place, span: span === null ? null : placed(span, yaml) };
  });
  const warnings = notes.map(
    (message): TextFault => ({ level: "warning", message, place: null, span: null }),
  );
  const isSound = found.every(({ level }) => level === "warning");
  return ok({ ok: isSound, hash, descriptor, faults: [...found, ...warnings] });
}

/** Nothing runs and nothing is stored. */
export async function dryRunText(
  request: Api["dryRun"]["body"],
  io: Io,
): Promise<Result<DryRunResult, Failure>> {
  const stubs = await parseStubs(JSON.stringify(request.stubs), "stubs");
  if (!stubs.ok) return stubs;
  const version =
    "yaml" in request
      ? await checkYaml({ name: "workflow", yaml: request.yaml }, io)
      : await registered(request.workflow, io);
  if (!version.ok) return version;
  const { hash, descriptor } = version.value;
  const workflow = "yaml" in request ? "" : request.workflow;
  const { prompt = "", maxSteps = null } = request;
  const document = await tried(
    { workflow, hash, descriptor },
    { stubs: stubs.value, prompt, maxSteps },
  );
  // What a stub returns is what was given: plain JSON.
  const plain: DryRunResult = JSON.parse(JSON.stringify(document));
  return ok(plain);
}

/** As a new version of the name; `onTopOf` null: whatever it is now. */
export function publishText(
  { onTopOf, ...text }: NamedYaml & { onTopOf: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { name } = text;
  const options = { name, types: null, force: false, ...(onTopOf === null ? {} : { onTopOf }) };
  return withYamlFile(text, (file) => add({ ...options, file }, io));
}

function registered(workflow: string, io: Io) {
  const root = storageRoot(io.env);
  return findVersion({ root, registry: openRegistry(root) }, workflow);
}

function placed(
  [from, to]: readonly [number, number],
  yaml: string,
): NonNullable<TextFault["span"]> {
  // Counted without a byte order mark.
  const skipped = yaml.length - yaml.replace(/^\uFEFF+/, "").length;
  const [start, end] = [from + skipped, to + skipped];
  const before = yaml.slice(0, start).split(/\r\n|\r|\n/);
  return { start, end, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
