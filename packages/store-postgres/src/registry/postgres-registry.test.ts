import { registryCases } from "@uncaged/workflow-register/suite";
import { expect, test } from "vitest";
import { openDatabase } from "../database/database.ts";
import { testRoot } from "../testing/test-root.test.helper.ts";
import { postgresRegistry } from "./postgres-registry.ts";

test.each(registryCases)("$name", async ({ run }) => {
  const database = await openDatabase(await testRoot());
  try {
    await run(postgresRegistry(database));
  } finally {
    await database.close();
  }
});

test("machines that change it at once lose nothing", async () => {
  const root = await testRoot();
  const machines = await Promise.all([1, 2, 3].map(() => openDatabase(root)));
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
  const database = await openDatabase(await testRoot());
  await database.close();
  const read = await postgresRegistry(database).workflows();
  expect(read).toMatchObject({ ok: false, error: { code: "STORAGE_FAILED" } });
});
