import { registryCases } from "@uncaged/workflow-register/suite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../database/database.ts";
import { testRoot } from "../testing/test-root.ts";
import { postgresRegistry } from "./postgres-registry.ts";

let at: { url: string; root: string };
let database: Database;
beforeAll(async () => {
  at = await testRoot();
  database = await openDatabase(at);
});
beforeEach(async () => {
  await database.query("begin anew", { text: "TRUNCATE workflow_versions" });
});
afterAll(() => database.close());

test.each(registryCases)("$name", ({ run }) => run(postgresRegistry(database)));

test("machines that change it at once lose nothing", async () => {
  const machines = await Promise.all([1, 2, 3].map(() => openDatabase(at)));
  const version = (n: number) => ({
    hash: `D${`${n}`.padStart(12, "0")}`,
    sha256: "a",
    timestamp: n,
  });
  await Promise.all(
    machines.flatMap((machine, at) =>
      [1, 2, 3].map((n) =>
        postgresRegistry(machine).register({ name: "flow", version: version(at * 10 + n) }),
      ),
    ),
  );
  const [first] = machines;
  const read = first === undefined ? undefined : await postgresRegistry(first).workflows();
  expect(read?.ok ? read.value.get("flow")?.history.length : read).toBe(8);
  await Promise.all(machines.map((machine) => machine.close()));
});

test("a server that is away is a failure, as a value", async () => {
  const closed = await openDatabase(at);
  await closed.close();
  const read = await postgresRegistry(closed).workflows();
  expect(read).toMatchObject({ ok: false, error: { code: "STORAGE_FAILED" } });
});
