/** Proving a thread on another machine: two storage roots that share only the exported files. */
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { runBash } from "./shell.test.helper.ts";

type Exported = {
  threadId: string;
  file: string;
  nodes: number;
  threads: string[];
  sha256: string;
};
type Attested = { file: string; keyId: string; publicKeyFile: string };
type Report = { ok: boolean; checked: number; problems: { code: string; message: string }[] };

/** Runs the steps workflow as a child thread. */
const PARENT = `
import { buildDescriptor, createWorkflow, END, START, workflowAsAgent } from "@uncaged/workflow-runtime";
import { z } from "zod";
const definition = {
  description: "hands its work to a child",
  roles: { delegate: { description: "runs a child", systemPrompt: "", schema: z.looseObject({}), extractRefs: null } },
  table: { [START]: [{ condition: "FALLBACK", role: "delegate" }], delegate: [{ condition: "FALLBACK", role: END }] },
};
export const run = createWorkflow(definition, { adapter: workflowAsAgent("steps"), overrides: null });
export const descriptor = buildDescriptor(definition);
`;

let here: Cli;
let there: Cli;
let threadId = "";
beforeAll(async () => {
  here = openCli();
  there = openCli();
  await here.addSteps("steps");
  threadId = await finished("steps", { steps: 3 });
});
afterAll(() => Promise.all([here.close(), there.close()]));

async function finished(workflow: string, prompt: object): Promise<string> {
  const words = ["run", workflow, "--wait", "--prompt", JSON.stringify(prompt)];
  return (await here.json<{ threadId: string }>(words)).threadId;
}

async function waiting(prompt: object, steps: number): Promise<string> {
  const words = ["thread", "run", "steps", "--idle", "--prompt", JSON.stringify(prompt)];
  const { threadId: id } = await here.json<{ threadId: string }>(words);
  await here.run(["thread", "exec", id, "--count", String(steps)]);
  return id;
}

function exported(id: string, out: string): Promise<Exported> {
  return here.json(["thread", "export", id, "--out", out]);
}

async function report(
  cli: Cli,
  args: readonly string[],
): Promise<Report & { exit: number | null }> {
  const { code, stdout, stderr } = await cli.run(["--json", "thread", "verify", ...args]);
  if (stdout === "") throw new Error(stderr);
  const found: Report = JSON.parse(stdout);
  return { ...found, exit: code };
}

describe("a thread that was exported", () => {
  it("is listed, shown and proved in another storage root, and exported from there as the same bytes", async () => {
    const { file, nodes, sha256 } = await exported(threadId, "whole.tar");
    expect(await there.json(["thread", "import", file])).toEqual({
      ...{ threadId, threads: [threadId], imported: [threadId], nodes },
    });
    expect(await there.json(["thread", "show", threadId])).toEqual(
      await here.json(["thread", "show", threadId]),
    );
    expect(await report(there, [threadId])).toMatchObject({ exit: 0, ok: true, checked: nodes });
    expect(await there.json(["cas", "fsck"])).toMatchObject({ ok: true });
    const again = await there.json<Exported>(["thread", "export", threadId, "--out", "again.tar"]);
    expect(again.sha256).toBe(sha256);
    expect(await there.json(["thread", "import", file])).toMatchObject({ imported: [] });
  });

  it("is a tar file whose checksums any program can check", async () => {
    const { file } = await exported(threadId, "plain.tar");
    const folder = join(here.dir, "unpacked");
    mkdirSync(folder);
    const script = `tar -xf ${file} && sha256sum --check --strict SHA256SUMS`;
    const { code, stderr } = await runBash(script, { cwd: folder, env: process.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(readdirSync(folder).sort()).toEqual(["SHA256SUMS", "bundles", "cas", "thread.json"]);
  });

  it("continues where it was imported: with its bundle, after an answer, and from any step", async () => {
    const idle = await waiting({ steps: 4 }, 2);
    const asking = await waiting({ steps: 4, suspendAt: 1 }, 2);
    for (const id of [idle, asking]) {
      await there.json(["thread", "import", (await exported(id, `${id}.tar`)).file]);
    }
    await there.json(["thread", "exec", idle, "--count", "9"]);
    expect(await there.json(["thread", "show", idle])).toMatchObject({ status: "completed" });
    expect(await there.json(["thread", "list", "--status", "suspended"])).toMatchObject({
      threads: [{ threadId: asking }],
    });
    await there.json(["thread", "resume", asking, "-p", "go on"]);
    const fork = await there.json<{ threadId: string }>([
      ...["thread", "fork", threadId, "--from-step", "2", "--idle"],
    ]);
    await there.json(["thread", "exec", fork.threadId, "--count", "1"]);
    for (const id of [idle, fork.threadId])
      expect(await report(there, [id])).toMatchObject({ ok: true });
  });

  it("brings its child threads along", async () => {
    const source = join(here.dir, "flow", "parent.mjs");
    writeFileSync(source, PARENT);
    const { file } = await here.json<{ file: string }>(["workflow", "build", source]);
    await here.json(["workflow", "add", "parent", file]);
    const parent = await finished("parent", { steps: 1 });
    const family = await exported(parent, "family.tar");
    expect(family.threads).toHaveLength(2);
    const imported = await there.json<{ imported: string[] }>(["thread", "import", family.file]);
    expect(imported.imported).toEqual(family.threads);
    for (const id of family.threads) {
      expect(await there.json(["thread", "show", id])).toEqual(
        await here.json(["thread", "show", id]),
      );
      expect(await report(there, [id])).toMatchObject({ ok: true });
    }
  });

  it("is refused when it was tampered with, and nothing of it is stored", async () => {
    const { file } = await exported(threadId, "tampered.tar");
    const whole = readFileSync(file);
    const fresh = openCli();
    for (let at = 7; at < whole.length; at += Math.ceil(whole.length / 12)) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 4;
      writeFileSync(file, changed);
      expect(await fresh.fails(["thread", "import", file]), `byte ${at}`).toMatchObject({
        exit: 5,
        code: "EXPORT_INVALID",
      });
    }
    expect(existsSync(join(fresh.root, "cas"))).toBe(false);
    expect(await fresh.json(["thread", "list"])).toMatchObject({ threads: [] });
    await fresh.close();
  });

  it("is refused where the thread has continued differently, and changes nothing", async () => {
    const id = await waiting({ steps: 4 }, 1);
    const { file } = await exported(id, "early.tar");
    await here.json(["thread", "exec", id]);
    const before = await here.json(["thread", "show", id]);
    expect(await here.fails(["thread", "import", file])).toMatchObject({
      exit: 2,
      code: "TARGET_EXISTS",
    });
    expect(await here.json(["thread", "show", id])).toEqual(before);
  });
});

describe("an attestation", () => {
  it("holds for the thread, its import and its export, with the signer's public key alone", async () => {
    const { file } = await exported(threadId, "attested.tar");
    const { file: attestation, publicKeyFile } = await here.json<Attested>([
      ...["thread", "attest", threadId, "--out", "attested.json"],
    ]);
    expect(statSync(join(here.root, "keys", "attest.key")).mode & 0o777).toBe(0o600);
    const signed = ["--attestation", attestation, "--public-key", publicKeyFile];
    await there.json(["thread", "import", file]);
    expect(await report(here, [threadId, ...signed])).toMatchObject({ exit: 0, ok: true });
    expect(await report(there, [threadId, ...signed])).toMatchObject({ exit: 0, ok: true });
    const nowhere = openCli();
    const inFile = [threadId.slice(-6), "--export", file, ...signed];
    expect(await report(nowhere, inFile)).toMatchObject({ exit: 0, ok: true });
    await nowhere.close();
  });

  it("does not hold with another key, for another thread, or once it was changed", async () => {
    const { file: attestation, publicKeyFile } = await here.json<Attested>([
      ...["thread", "attest", threadId, "--out", "refused.json"],
    ]);
    const other = await waiting({ steps: 2 }, 1);
    const theirs = await there.json<Attested>(["thread", "attest", threadId, "--out", "t.json"]);
    const against = (id: string, key: string): Promise<Report & { exit: number | null }> =>
      report(here, [id, "--attestation", attestation, "--public-key", key]);
    expect(await against(threadId, theirs.publicKeyFile)).toMatchObject({
      exit: 5,
      problems: [{ code: "SIGNATURE_INVALID" }],
    });
    const ofAnother = await against(other, publicKeyFile);
    expect(ofAnother).toMatchObject({ exit: 5, ok: false });
    expect(ofAnother.problems[0]?.code).toBe("ATTESTATION_MISMATCH");
    writeFileSync(attestation, readFileSync(attestation, "utf8").replace(/.\n$/, "\n"));
    expect(await against(threadId, publicKeyFile)).toMatchObject({
      exit: 5,
      problems: [{ code: "ATTESTATION_INVALID" }],
    });
  });

  it("can be signed with your own key, unless others can read it", async () => {
    const own = generateKeyPairSync("ed25519");
    const key = join(here.dir, "own.key");
    writeFileSync(key, own.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    writeFileSync(join(here.dir, "own.pub"), own.publicKey.export({ type: "spki", format: "pem" }));
    await here.json(["thread", "attest", threadId, "--key", "own.key", "--out", "own.json"]);
    const signed = ["--attestation", "own.json", "--public-key", "own.pub"];
    expect(await report(here, [threadId, ...signed])).toMatchObject({ ok: true });
    chmodSync(key, 0o644);
    const again = ["thread", "attest", threadId, "--key", "own.key", "--out", "again.json"];
    expect(await here.fails(again)).toMatchObject({ exit: 2, code: "KEY_INVALID" });
  });

  it("is not made inside a step with the storage root's own key, by whatever path", async () => {
    const own = join(here.root, "keys", "attest.key");
    await here.json(["thread", "attest", threadId, "--out", "outside.json"]);
    symlinkSync(own, join(here.dir, "linked.key"));
    const inside = { env: { UNCAGED_RUN_MARK: `${threadId}:1:x` } };
    const words = ["thread", "attest", threadId, "--out", "inside.json"];
    const fresh = openCli();
    const { file } = await exported(threadId, "inside.tar");
    await fresh.json(["thread", "import", file]);
    for (const [cli, args] of [
      [fresh, words],
      [here, words],
      [here, [...words, "--key", own]],
      [here, [...words, "--key", "linked.key"]],
    ] as const) {
      const refused = await cli.fails(args, inside);
      expect(refused).toMatchObject({ exit: 2, code: "KEY_INVALID" });
      expect(refused.message).toContain("inside a step");
      expect(refused.hint).toContain("--key");
      expect(existsSync(join(cli.dir, "inside.json"))).toBe(false);
    }
    expect(existsSync(join(fresh.root, "keys"))).toBe(false);
    await fresh.close();
    const key = join(here.dir, "step.key");
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    await here.json([...words, "--key", key], inside);
    expect(existsSync(join(here.dir, "inside.json"))).toBe(true);
  });

  it("is not checked without a key to trust", async () => {
    expect(await here.fails(["thread", "verify", threadId, "--attestation", "x"])).toMatchObject({
      exit: 2,
      code: "USAGE",
    });
  });
});

describe("a thread of a thousand steps", () => {
  it("is exported, attested, imported and proved like a short one", async () => {
    const id = await finished("steps", { steps: 998 });
    const { file, nodes } = await exported(id, "long.tar");
    const { file: attestation, publicKeyFile } = await here.json<Attested>([
      ...["thread", "attest", id, "--out", "long.json"],
    ]);
    await there.json(["thread", "import", file]);
    const signed = ["--attestation", attestation, "--public-key", publicKeyFile];
    expect(await report(there, [id, ...signed])).toMatchObject({ ok: true, checked: nodes });
  });
});
