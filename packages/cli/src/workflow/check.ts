/** `workflow check`: what is wrong with a table by itself, and what routes existing threads would have taken with
 *  it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  checkTable,
  checkThread,
  type Engine,
  findThread,
  findVersion,
  observedStatus,
  type TableFinding,
  type ThreadCheck,
} from "@uncaged/workflow-execute";
import {
  EXIT,
  type Failure,
  ok,
  type Result,
  type ThreadRecord,
  type ThreadStatus,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { checkWorkflowFile, lineOf, type YamlSource } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { openRegistry } from "../command/open-registry.ts";
import { ruleChecker } from "../command/rule-checker.ts";
import { withEngine } from "../command/with-engine.ts";
import type { CheckDocument, PlacedFinding } from "./check-document.ts";
import { checkText } from "./check-text.ts";
import { registered } from "./registered.ts";

export type Against =
  | { kind: "none" }
  | { kind: "ids"; ids: readonly string[] }
  /** Threads of the name; `status` null: in any status. */
  | { kind: "all"; status: ThreadStatus | null };

export async function check(
  what: {
    name: string;
    /** Bundle or YAML file to check in place of the registered version. */
    file: string | null;
    against: Against;
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const version = await versionOf(root, what, io);
  if (!version.ok) return version;
  const { hash, descriptor, source } = version.value;
  const findings = checkTable(descriptor).map((finding) => placed(finding, source));
  const threads =
    what.against.kind === "none" ? ok(null) : await checkAgainst(descriptor, { ...what, root }, io);
  if (!threads.ok) return threads;
  const sound =
    findings.every(({ level }) => level === "warning") &&
    (threads.value === null || threads.value.differing.length === 0);
  const document: CheckDocument = {
    name: what.name,
    hash,
    ok: sound,
    findings,
    threads: threads.value,
  };
  return ok({
    document,
    human: (style) => checkText(document, style),
    exitCode: sound ? EXIT.success : EXIT.failure,
  });
}

type Version = { hash: string; descriptor: WorkflowDescriptor; source?: YamlSource | null };

function placed(finding: TableFinding, source: YamlSource | null = null): PlacedFinding {
  return { ...finding, ...(source === null ? null : lineOf(source, finding)) };
}

async function versionOf(
  root: string,
  { name, file, against }: { name: string; file: string | null; against: Against },
  io: Io,
): Promise<Result<Version, Failure>> {
  if (file === null) {
    const version = await findVersion({ root, registry: openRegistry(root) }, name);
    const isFile = !version.ok && against.kind === "none" && existsSync(resolve(io.cwd, name));
    return isFile ? versionOf(root, { name, file: name, against }, io) : version;
  }
  const { checks } = ruleChecker();
  return checkWorkflowFile({
    root,
    ...checks,
    packagesBase: import.meta.url,
    file: resolve(io.cwd, file),
    types: null,
  });
}

async function checkAgainst(
  descriptor: WorkflowDescriptor,
  { root, name, against }: { root: string; name: string; against: Against },
  io: Io,
): Promise<Result<CheckDocument["threads"], Failure>> {
  const entry = against.kind === "all" ? await registered(root, nameIn(name)) : ok(null);
  if (!entry.ok) return entry;
  return withEngine(io, async (engine) => {
    const threads = await threadsOf(engine, name, against);
    if (!threads.ok) return threads;
    const differing: ThreadCheck[] = [];
    for (const thread of threads.value) {
      const checked = await checkThread(engine.cas, thread, descriptor);
      if (!checked.compatible) differing.push(checked);
    }
    const checked = threads.value.length;
    return ok({ checked, compatible: checked - differing.length, differing });
  });
}

async function threadsOf(
  engine: Engine,
  name: string,
  against: Against,
): Promise<Result<ThreadRecord[], Failure>> {
  if (against.kind === "all") {
    const { status } = against;
    const threads = await engine.store.list({ workflow: nameIn(name) });
    const nowMs = engine.now();
    const isAsked = (thread: ThreadRecord): boolean =>
      status === null || observedStatus(thread, nowMs).status === status;
    return ok(threads.filter(isAsked));
  }
  const threads: ThreadRecord[] = [];
  for (const id of against.kind === "ids" ? against.ids : []) {
    const thread = await findThread(engine, id);
    if (!thread.ok) return thread;
    threads.push(thread.value);
  }
  return ok(threads);
}

/** `review@<hash>` is a version of `review`. */
function nameIn(version: string): string {
  return version.split("@", 1)[0] ?? version;
}
