import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli.close());

describe("cas", () => {
  it("stores a text and returns it byte for byte", async () => {
    const put = await cli.run(["cas", "put", "hello"]);
    expect(put).toEqual({ code: 0, stdout: "78DWX7TKFEA08\n", stderr: "" });
    const blob = 'type: "content"\npayload: "hello"\nrefs: []\n';
    expect((await cli.run(["cas", "get", "78DWX7TKFEA08"])).stdout).toBe(blob);
    expect((await cli.run(["cas", "get", "78DWX7TKFEA08", "--payload"])).stdout).toBe("hello");
    expect(await cli.json(["cas", "get", "78DWX7TKFEA08"])).toEqual({
      hash: "78DWX7TKFEA08",
      content: blob,
    });
    expect(readFileSync(join(cli.root, "cas", "78DWX7TKFEA08.txt"), "utf8")).toBe(blob);
  });

  it("creates only the index for it: a root with blobs but no index has lost it", () => {
    expect(readdirSync(cli.root).sort()).toEqual(["cas", "index.db"]);
  });

  it("treats a text that looks like an option or a node as plain text", async () => {
    for (const text of ["--help", 'type: "state"\npayload: {}\nrefs: []\n', "", "\u2028"]) {
      const { hash } = await cli.json<{ hash: string }>(["cas", "put", "-"], { stdin: text });
      expect(await cli.json(["cas", "show", hash])).toEqual({
        hash,
        type: "content",
        payload: text,
        refs: [],
      });
    }
    expect(await cli.json(["cas", "put", "--", "--help"])).toEqual({
      hash: (await cli.run(["cas", "put", "-"], { stdin: "--help" })).stdout.trim(),
    });
  });

  it("passes megabytes and NUL through stdin and stdout", async () => {
    const text = "\u0000漢字\n".repeat(300_000);
    const { hash } = await cli.json<{ hash: string }>(["cas", "put", "-"], { stdin: text });
    expect((await cli.run(["cas", "get", "--payload", hash])).stdout).toBe(text);
  });

  it("says what is missing, and exits 5", async () => {
    expect(await cli.fails(["cas", "get", "0000000000000"])).toMatchObject({
      exit: 5,
      code: "CAS_MISSING",
    });
  });

  it("shows a node as block YAML for people", async () => {
    const { hash } = await cli.json<{ hash: string }>(["cas", "put", "a line\nanother\n"]);
    expect((await cli.run(["cas", "show", hash])).stdout).toBe(
      "type: content\npayload: |\n  a line\n  another\nrefs: []\n",
    );
  });

  it("deletes what no thread needs, and anything else only with --force", async () => {
    await cli.addSteps("steps");
    const thread = await cli.json<{ threadId: string }>(["run", "steps", "--idle", "-p", "task"]);
    const view = await cli.json<ThreadView>(["thread", "show", thread.threadId]);
    expect(await cli.json(["cas", "rm", "78DWX7TKFEA08"])).toEqual({
      hash: "78DWX7TKFEA08",
      removed: true,
    });
    expect(await cli.fails(["cas", "rm", "78DWX7TKFEA08"])).toMatchObject({ code: "CAS_MISSING" });
    expect(await cli.fails(["cas", "rm", view.start.hash])).toMatchObject({
      exit: 6,
      code: "CAS_IN_USE",
    });
    await cli.json(["cas", "rm", view.start.hash, "--force"]);
    const { code, stdout } = await cli.run(["cas", "fsck", "--json"]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [{ code: "CAS_MISSING", hash: view.start.hash }],
    });
  });

  it("finds a damaged blob, and never returns it", async () => {
    const { hash } = await cli.json<{ hash: string }>(["cas", "put", "soon damaged"]);
    const file = join(cli.root, "cas", `${hash}.txt`);
    writeFileSync(file, readFileSync(file, "utf8").replace("damaged", "deranged"));
    expect(await cli.fails(["cas", "get", hash])).toMatchObject({ exit: 5, code: "CAS_CORRUPT" });
    const { code, stdout } = await cli.run(["cas", "fsck"]);
    expect(code).toBe(5);
    expect(stdout).toContain(hash);
    expect(stdout).toContain("not ok");
    // Deleting the blob repairs the store if nothing needs it; the thread above is already broken.
    await cli.json(["cas", "rm", hash, "--force"]);
    expect(existsSync(file)).toBe(false);
  });
});
