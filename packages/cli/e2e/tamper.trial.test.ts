/** Any change of a stored thread is detected. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Report = { ok: boolean; problems: { code: string; hash: string }[] };

let cli: Cli;
let threadId = "";
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const prompt = JSON.stringify({ steps: 3 });
  ({ threadId } = await cli.json<{ threadId: string }>([
    "run",
    "steps",
    "--wait",
    "--prompt",
    prompt,
  ]));
});
afterAll(() => cli.close());

describe("a thread of which one blob was changed", () => {
  it("is detected by verify, fsck and gc, whichever blob was changed and however", async () => {
    const folder = join(cli.root, "cas");
    const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
    expect(files.length).toBeGreaterThan(10);
    const damages = [flipped, truncated, zeroed, emptied];
    for (const [index, name] of files.entries()) {
      const path = join(folder, name);
      const whole = readFileSync(path);
      writeFileSync(path, damages[index % damages.length]?.(whole) ?? "");
      expect(await failedReport(["thread", "verify", threadId]), name).toMatchObject({ ok: false });
      writeFileSync(path, whole);
    }
    const [name = ""] = files;
    const path = join(folder, name);
    const whole = readFileSync(path);
    writeFileSync(path, flipped(whole));
    expect((await failedReport(["cas", "fsck"])).problems).toContainEqual(
      expect.objectContaining({ code: "CAS_CORRUPT", hash: name.slice(0, 13) }),
    );
    expect(await cli.fails(["cas", "gc"])).toMatchObject({ exit: 5, code: "CAS_CORRUPT" });
    writeFileSync(path, whole);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("is detected even when the index was changed to match", async () => {
    const { DatabaseSync } = await import("node:sqlite");
    const { steps } = await cli.json<{ steps: { stateHash: string }[] }>([
      "thread",
      "show",
      threadId,
    ]);
    const index = new DatabaseSync(join(cli.root, "index.db"));
    const head =
      index.prepare("SELECT head FROM threads WHERE threadId = ?").get(threadId)?.head ?? "";
    const point = index.prepare("UPDATE threads SET head = ? WHERE threadId = ?");
    point.run(steps[1]?.stateHash ?? "", threadId);
    expect((await failedReport(["thread", "verify", threadId])).problems).toContainEqual(
      expect.objectContaining({ code: "DIGEST_MISMATCH" }),
    );
    point.run(head, threadId);
    index.close();
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("does not run when its bundle was changed", async () => {
    const [hash = ""] = readdirSync(join(cli.root, "bundles"));
    const path = join(cli.root, "bundles", hash, "bundle.esm.js");
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([whole, Buffer.from("\n// more")]));
    expect(await cli.fails(["run", "steps", "--prompt", "{}"])).toMatchObject({
      exit: 5,
      code: "BUNDLE_TAMPERED",
    });
    expect((await failedReport(["thread", "verify", threadId])).problems).toContainEqual(
      expect.objectContaining({ code: "BUNDLE_TAMPERED" }),
    );
    writeFileSync(path, whole);
  });
});

async function failedReport(args: readonly string[]): Promise<Report> {
  const { code, stdout } = await cli.run([...args, "--json"]);
  expect(code, args.join(" ")).toBe(5);
  const report: Report = JSON.parse(stdout);
  return report;
}

function flipped(whole: Buffer): Buffer {
  const bytes = Buffer.from(whole);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes;
}

function truncated(whole: Buffer): Buffer {
  return whole.subarray(0, whole.length - 1);
}

function zeroed(whole: Buffer): Buffer {
  return Buffer.alloc(whole.length);
}

function emptied(): Buffer {
  return Buffer.alloc(0);
}
