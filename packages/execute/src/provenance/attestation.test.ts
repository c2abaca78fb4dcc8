import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckReport } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownAttestKey } from "./attest-key.ts";
import { attestThread } from "./attest-thread.ts";
import { parseEnvelope, sealEnvelope } from "./dsse.ts";
import { BUNDLE, STEPS, sampleRoot, THREAD_ID } from "./sample-root.test.helper.ts";
import { PAYLOAD_TYPE } from "./thread-statement.ts";
import { verifyAttested } from "./verify-against.ts";

let dir = "";
let sample: Awaited<ReturnType<typeof sampleRoot>>;
let files: { attestation: string; publicKey: string };
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attest-"));
  sample = await sampleRoot(join(dir, "root"));
  const file = join(dir, "thread.intoto.json");
  const attested = await attestThread(sample.engine, sample.thread, { file, key: null });
  if (!attested.ok) throw new Error(attested.error.message);
  files = { attestation: file, publicKey: attested.value.publicKeyFile ?? "" };
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function verified(against = files): Promise<CheckReport> {
  const report = await verifyAttested(sample.engine, sample.thread, against);
  if (!report.ok) throw new Error(report.error.message);
  return report.value;
}

async function statement(): Promise<Record<string, unknown>> {
  const envelope = parseEnvelope(await readFile(files.attestation, "utf8"));
  return JSON.parse(envelope?.payload.toString("utf8") ?? "");
}

/** Signs another statement with the true key. */
async function resign(change: (payload: string) => string): Promise<void> {
  const key = await ownAttestKey(join(dir, "root"));
  const envelope = parseEnvelope(await readFile(files.attestation, "utf8"));
  if (!key.ok || envelope === null) throw new Error("there is nothing to sign");
  const payload = Buffer.from(change(envelope.payload.toString("utf8")));
  await writeFile(files.attestation, sealEnvelope(payload, PAYLOAD_TYPE, key.value));
}

describe("an attestation", () => {
  it("holds for the thread that it was made of", async () => {
    expect(await verified()).toEqual({ ok: true, checked: 8, problems: [] });
  });

  it("states the SHA-256 of every node and bundle file, and how the thread went", async () => {
    const said = await statement();
    expect(said).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      predicateType: "urn:uncaged:workflow-thread:v1",
      predicate: {
        threads: [
          {
            threadId: THREAD_ID,
            workflow: "sample",
            bundle: BUNDLE.hash,
            outcome: { status: "completed", returnCode: 0 },
            endRoute: { condition: "NO_MATCH" },
            steps: [
              { round: 1, role: "coder", route: { rule: 0, promptFrom: "table" } },
              { round: 2, role: "tester" },
            ],
          },
        ],
      },
    });
    const subjects = said.subject;
    expect(subjects).toHaveLength(sample.blobs.size + 2);
    expect(subjects).toContainEqual({
      name: `bundles/${BUNDLE.hash}/bundle.esm.js`,
      digest: { sha256: BUNDLE.sha256 },
    });
    expect(subjects).toContainEqual({
      name: `cas/${sample.thread.head}.txt`,
      digest: { sha256: sample.thread.headSha256 },
    });
  });

  it("says nothing that a person or an agent said", async () => {
    expect(JSON.stringify(await statement())).not.toMatch(/go!|done/);
  });

  it("is refused with another key than the one that signed it", async () => {
    const other = await ownAttestKey(join(dir, "other"));
    const publicKey = other.ok ? (other.value.publicKeyFile ?? "") : "";
    expect(await verified({ ...files, publicKey })).toMatchObject({
      ok: false,
      problems: [{ code: "SIGNATURE_INVALID" }],
    });
  });

  it.each<[string, (payload: string) => string, RegExp]>([
    ["another role", (text) => text.replace('"coder"', '"poet"'), /says predicate.threads\[0\]/],
    ["another digest", (text) => text.replace(/"sha256":"./, '"sha256":"_'), /says subject\[0\]/],
    [
      "a digest less",
      (text) => text.replace(/\{"digest":[^}]*\},"name":"cas\/\w+.txt"\},/, ""),
      /differs/,
    ],
    ["nothing", () => "", /the thread has/],
    ["the same in other words", (text) => text.replace(":", ": "), /in its spelling/],
  ])("is refused when the key's holder signed %s", async (_name, change, message) => {
    await resign(change);
    const { ok, problems } = await verified();
    expect(ok).toBe(false);
    expect(problems.map((problem) => problem.code)).toContain("ATTESTATION_MISMATCH");
    expect(problems.map((problem) => problem.message).join("\n")).toMatch(message);
  });

  it("does not hold for the thread once it has continued", async () => {
    const shorter = await sampleRoot(join(dir, "shorter"), STEPS);
    const file = join(dir, "shorter.json");
    await attestThread(shorter.engine, shorter.thread, { file, key: null });
    const publicKey = join(dir, "shorter", "keys", "attest.pub");
    const own = { attestation: file, publicKey };
    expect(await verifyAttested(shorter.engine, shorter.thread, own)).toMatchObject({
      value: { ok: true },
    });
    expect(await verified(own)).toMatchObject({ ok: false });
  });

  it("is not made of a thread that cannot be proved, nor in another file's place", async () => {
    const file = join(dir, "new.json");
    const thread = { ...sample.thread, stepCount: 7 };
    expect(await attestThread(sample.engine, thread, { file, key: null })).toMatchObject({
      error: { message: expect.stringContaining("is not attested") },
    });
    await expect(stat(file)).rejects.toThrow("ENOENT");
    const again = { file: files.attestation, key: null };
    expect(await attestThread(sample.engine, sample.thread, again)).toMatchObject({
      error: { code: "TARGET_EXISTS" },
    });
  });
});
