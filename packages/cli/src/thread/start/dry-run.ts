import { resolve } from "node:path";
import {
  type DryRun,
  type DryRunRoute,
  dryRun,
  findVersion,
  parseStubs,
  type Stubs,
} from "@uncaged/workflow-execute";
import {
  DEFAULT_MAX_STEPS,
  EXIT,
  type Failure,
  type Limits,
  ok,
  type Result,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { openRegistry } from "../../command/open-registry.ts";
import { type PromptSource, readPrompt } from "../../command/prompt.ts";
import { readStdin, readTextFile } from "../../command/read-text.ts";
import { printable, printableLine } from "../../terminal/printable.ts";
import { renderTable } from "../../terminal/render-table.ts";
import type { Style } from "../../terminal/style.ts";
import { resultText } from "../view/result-text.ts";

const LINE = 60;

/** Follows the table of a registered workflow with stubs. Nothing is run and nothing is stored. */
export async function tryOut(
  opts: {
    workflow: string;
    prompt: PromptSource;
    /** File with the stubs; `-`: stdin. */
    stubs: string;
    limits: Limits | null;
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  const isPiped = opts.stubs === "-";
  const text = isPiped
    ? await readStdin(io.stdin)
    : await readTextFile(resolve(io.cwd, opts.stubs));
  const stubs = await parseStubs(text, isPiped ? "stdin" : opts.stubs);
  if (!stubs.ok) return stubs;
  const prompt = isPiped && opts.prompt === null ? "" : await readPrompt(opts.prompt, io);
  const root = storageRoot(io.env);
  const version = await findVersion({ root, registry: openRegistry(root) }, opts.workflow);
  if (!version.ok) return version;
  const document = await tried(
    { workflow: opts.workflow, ...version.value },
    { stubs: stubs.value, prompt, maxSteps: opts.limits?.steps ?? null },
  );
  return ok({
    document,
    human: (style) => render(document, style),
    exitCode: document.ok ? EXIT.success : EXIT.failure,
  });
}

/** `ok`: the trace came to an end or a question, and no stub has a fault. */
export async function tried(
  version: { workflow: string; hash: string; descriptor: WorkflowDescriptor },
  { stubs, prompt, maxSteps }: { stubs: Stubs; prompt: string; maxSteps: number | null },
): Promise<DryRun & { workflow: string; hash: string; ok: boolean }> {
  const { workflow, hash, descriptor } = version;
  const most = maxSteps ?? descriptor.limits?.steps ?? DEFAULT_MAX_STEPS;
  const run = await dryRun(descriptor, { stubs, prompt, maxSteps: most });
  const cameThrough = run.end.kind === "ended" || run.end.kind === "suspended";
  return { workflow, hash, ok: cameThrough && run.faults.length === 0, ...run };
}

function render({ route, end, faults, unused, result }: DryRun, style: Style): string {
  const { bold, dim, red, green, yellow } = style;
  const good = end.kind === "ended" ? green : end.kind === "suspended" ? yellow : red;
  const parts = [
    renderTable(route, [
      { title: "#", cell: ({ round }) => String(round ?? ""), align: "right" },
      { title: "FROM", cell: ({ from }) => from },
      {
        title: "BY",
        cell: ({ rule, condition }) => `${rule ?? "-"} ${printableLine(condition, LINE)}`,
      },
      { title: "TO", cell: ({ to }) => to, paint: bold },
      { title: "STUB", cell: stubText, paint: dim },
    ]),
    `${good(end.kind.replaceAll("_", " "))}: ${printable(end.message)}\n`,
  ];
  if (result !== undefined) parts.push(`${dim("result:")} ${resultText(result)}\n`);
  if (faults.length > 0) {
    const lines = faults.map(
      ({ place, message }) => `  ${place}: ${printableLine(message, 160)}\n`,
    );
    parts.push(`${red(`${count(faults.length, "stub fault")}:`)}\n${lines.join("")}`);
  }
  if (unused.length > 0) parts.push(`${dim("not used:")} ${unused.join(", ")}\n`);
  return parts.join("\n");
}

function stubText({ stub }: DryRunRoute): string {
  if (stub === null) return "";
  const gave =
    "meta" in stub ? printableLine(JSON.stringify(stub.meta), LINE) : `fails: ${stub.outcome}`;
  return `${stub.place}  ${gave}`;
}
