/** `workflow check` on versions of `develop` whose effect is known: no wrong verdict over 100 recorded threads. The
 *  oracle is a model of the workflow in plain TypeScript, applied to the results in the threads. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  checkThread,
  type Engine,
  findVersion,
  openEngine,
  viewThread,
} from "@uncaged/workflow-execute";
import type { ThreadRecord, ThreadView, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Change,
  DEVELOP,
  HARMFUL,
  HARMLESS,
  type Model,
  type PlainStep,
} from "./changed-develop.ts";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { SEEDED_DEVELOP } from "./seeded-develop.ts";

const THREADS = 100;
const RECORD = fileURLToPath(new URL("./record-threads.test.program.ts", import.meta.url));

let cli: Cli;
let engine: Engine;
let descriptor: WorkflowDescriptor;
let threads: { record: ThreadRecord; view: ThreadView }[] = [];

beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const source = join(cli.dir, "flow", "develop.mjs");
  writeFileSync(source, SEEDED_DEVELOP);
  const { file } = await cli.json<{ file: string }>(["workflow", "build", source]);
  await cli.json(["workflow", "add", "develop", file]);
  const words = [RECORD, cli.root, "develop", String(THREADS)];
  const ids = execFileSync(process.execPath, words, { cwd: dirname(RECORD), timeout: 300_000 });
  engine = await openEngine({ root: cli.root, packagesBase: import.meta.url });
  const version = await findVersion(engine, "develop");
  if (!version.ok) throw new Error(version.error.message);
  descriptor = version.value.descriptor;
  threads = await Promise.all(ids.toString().trim().split("\n").map(recorded));
}, 400_000);
afterAll(async () => {
  await engine.store.close();
  await cli.close();
});

async function recorded(id: string): Promise<{ record: ThreadRecord; view: ThreadView }> {
  const record = await engine.store.get(id);
  if (record === null) throw new Error(`no thread ${id}`);
  return { record, view: await viewThread(engine, record) };
}

type Expected = { routes: { round: number; now: string }[]; wrongSteps: number[] };

/** The verdict on a thread for a version with this model, derived from the model alone. */
function expectedOf({ steps }: ThreadView, model: Model, roles: ReadonlySet<string>): Expected {
  const plain: PlainStep[] = steps.map(({ role, meta }) => ({ role, meta }));
  const went = [...plain.map(({ role }) => role), "__end__"];
  const routes = went.flatMap((to, at) => {
    // A missing role has no rules either: the thread ends.
    const from = plain[at - 1]?.role;
    const isGone = from !== undefined && !roles.has(from);
    const now = isGone ? "__end__" : model.next(plain.slice(0, at));
    return now === to ? [] : [{ round: at + 1, now }];
  });
  const wrongSteps = plain.flatMap((step, at) => (model.accepts(step) ? [] : [at + 1]));
  return { routes, wrongSteps };
}

async function foundIn(record: ThreadRecord, version: WorkflowDescriptor): Promise<Expected> {
  const { routes, removedRoles, metas, compatible } = await checkThread(
    engine.cas,
    record,
    version,
  );
  const wrongSteps = new Set([...removedRoles, ...metas].map(({ round }) => round));
  expect(compatible).toBe(routes.length === 0 && wrongSteps.size === 0);
  return {
    routes: routes.map(({ round, now }) => ({ round, now: now ?? "failed" })),
    wrongSteps: [...wrongSteps].sort((a, b) => a - b),
  };
}

/** How many threads the changed version leaves unaffected; compares every single verdict. */
async function compatibleWith(changes: readonly Change[]): Promise<number> {
  const version = changes.reduce((made, { descriptor }) => descriptor(made), descriptor);
  const model = changes.reduce((made, change) => change.model(made), DEVELOP);
  const roles = new Set(Object.keys(version.roles));
  let compatible = 0;
  for (const { record, view } of threads) {
    const expected = expectedOf(view, model, roles);
    expect(await foundIn(record, version), `${view.start.prompt}`).toEqual(expected);
    if (expected.routes.length + expected.wrongSteps.length === 0) compatible += 1;
  }
  return compatible;
}

describe("the check of changed versions of develop, over 100 recorded threads", () => {
  it("has threads that took every route of the table", () => {
    const ways = new Set(
      threads.flatMap(({ view }) => view.steps.map(({ route }) => `${route?.from} ${route?.rule}`)),
    );
    // Ends are not steps: an aborted plan and a commit.
    const edges = descriptor.graph.edges.filter(({ to }) => to !== "__end__");
    expect([...ways]).toHaveLength(edges.length);
    expect(threads).toHaveLength(THREADS);
    expect(new Set(threads.map(({ record }) => record.status))).toEqual(new Set(["completed"]));
  });

  it("finds the same version compatible with all", async () => {
    expect(await compatibleWith([])).toBe(THREADS);
  });

  it.each(HARMLESS)("finds no difference where there is none: $name", async (change) => {
    expect(await compatibleWith([change])).toBe(THREADS);
  });

  it.each(HARMFUL)("finds every difference: $name", async (change) => {
    const compatible = await compatibleWith([change]);
    // A change that affects all threads or none would prove nothing.
    expect(compatible).toBeGreaterThan(0);
    expect(compatible).toBeLessThan(THREADS);
  });

  it("finds the differences of several changes at once, chosen by a seed", async () => {
    // The change that renames a role comes last, so that the others find the role that they change.
    const all = [...HARMLESS, ...HARMFUL];
    let state = 20_261_121;
    const chance = (): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return state / 0x7fffffff;
    };
    for (let version = 0; version < 12; version += 1) {
      await compatibleWith(all.filter(() => chance() < 0.2));
    }
  });
});
