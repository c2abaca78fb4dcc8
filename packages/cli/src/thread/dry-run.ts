import { resolve } from "node:path";
import {
  type DryRun,
  type DryRunRoute,
  dryRun,
  findVersion,
  parseStubs,
} from "@uncaged/workflow-execute";
import {
  DEFAULT_MAX_STEPS,
  EXIT,
  type Failure,
  type Limits,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command.ts";
import { count } from "../count.ts";
import type { Io } from "../io.ts";
import { printable, printableLine } from "../printable.ts";
import { type PromptSource, readPrompt } from "../prompt.ts";
import { readStdin, readTextFile } from "../read-text.ts";
import { renderTable } from "../render-table.ts";
import type { Style } from "../style.ts";

const LINE = 60;

/** Follows the table of a registered workflow with stubs. Nothing runs and nothing is stored. */
export async function tryOut(
  opts: {
    workflow: string;
    prompt: PromptSource;
    /** File of the stubs; `-`: stdin. */
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
  const version = await findVersion(storageRoot(io.env), opts.workflow);
  if (!version.ok) return version;
  const { descriptor, hash } = version.value;
  const maxSteps = opts.limits?.steps ?? descriptor.limits?.steps ?? DEFAULT_MAX_STEPS;
  const run = await dryRun(descriptor, { stubs: stubs.value, prompt, maxSteps });
  const cameThrough = run.end.kind === "ended" || run.end.kind === "suspended";
  const fine = cameThrough && run.faults.length === 0;
  return ok({
    document: { workflow: opts.workflow, hash, ok: fine, ...run },
    human: (style) => render(run, style),
    exitCode: fine ? EXIT.success : EXIT.failure,
  });
}

function render({ route, end, faults, unused }: DryRun, style: Style): string {
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
