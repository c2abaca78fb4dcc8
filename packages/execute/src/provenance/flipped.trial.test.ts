/** Every bit of what proves a thread elsewhere, flipped. */
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { storedThreads } from "../chain/thread-source.ts";
import { proveThread } from "../verify/verify-thread.ts";
import { readPublicKey } from "./attest-key.ts";
import { attestThread } from "./attest-thread.ts";
import { attestationProblems } from "./check-attestation.ts";
import { exportThread } from "./export-thread.ts";
import { flips } from "./flipped.test.helper.ts";
import { importThread } from "./import-thread.ts";
import { emptyRoot, type SampleRoot, sampleRoot } from "./sample-root.test.helper.ts";

/** Every bit with `npm run trials -- --long`. */
const FLIPS = { all: process.env.UNCAGED_TEST_FLIPS === "all" };

let dir = "";
let here: Awaited<ReturnType<typeof sampleRoot>>;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "flipped-"));
  here = await sampleRoot(join(dir, "here"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it("an export is refused, and nothing stored, whichever byte of it was changed, and however", async () => {
  const there: SampleRoot = await emptyRoot(join(dir, "there"));
  const file = join(dir, "thread.tar");
  const written = await exportThread(here.engine, here.thread, { file, withFiles: false });
  if (!written.ok) throw new Error(written.error.message);
  const flipped = flips(await readFile(file), FLIPS);
  // An import mostly waits for the disk, so many run in parallel.
  const importers = Array.from({ length: 16 }, async (_, at) => {
    const copy = join(dir, `changed-${at}.tar`);
    for (const [what, changed] of flipped) {
      writeFileSync(copy, changed);
      const refused = await importThread(there.engine, {
        file: copy,
        checkRule: () => null,
        into: null,
      });
      if (refused.ok || refused.error.code !== "EXPORT_INVALID")
        expect.fail(`${what}: ${JSON.stringify(refused)}`);
    }
  });
  await Promise.all(importers);
  expect(there.blobs.size).toBe(0);
  expect(await there.engine.store.list({})).toEqual([]);
}, 300_000);

it("an attestation is refused whichever byte of it was changed, and however", async () => {
  const file = join(dir, "thread.intoto.json");
  const attested = await attestThread(here.engine, here.thread, { file, key: null });
  if (!attested.ok) throw new Error(attested.error.message);
  const source = storedThreads(here.engine);
  const proof = await proveThread(source, here.thread);
  const publicKey = await readPublicKey(attested.value.publicKeyFile ?? "");
  if (!publicKey.ok) throw new Error(publicKey.error.message);
  for (const [what, changed] of flips(await readFile(file), FLIPS)) {
    const problems = await attestationProblems({ source, proof }, changed, publicKey.value);
    expect(problems, what).toMatchObject([
      { code: expect.stringMatching(/^(ATTESTATION|SIGNATURE)_INVALID$/) },
    ]);
  }
});
