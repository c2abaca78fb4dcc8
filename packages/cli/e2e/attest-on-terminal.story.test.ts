/** A key that has a passphrase: a person signs, on a real terminal. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { CANCEL, type Key, typeInto } from "./terminal.test.helper.ts";

const WORDS = " correct horse ";

let cli: Cli;
let threadId = "";
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const run = ["--json", "run", "steps", "--prompt", "{}", "--wait"];
  ({ threadId } = JSON.parse((await cli.run(run)).stdout));
});
afterAll(() => cli.close());

const attest = (out: string, ...flags: readonly string[]) =>
  ["thread", "attest", threadId, "--out", out, ...flags] as const;
const typed = (words: readonly string[], keys: readonly Key[]) => typeInto(cli, words, { keys });
const key = () => join(cli.root, "keys", "attest.key");

it("is protected when the person chooses a passphrase, and not when they cancel", async () => {
  expect(await typed(attest("a.json", "--passphrase"), [["new passphrase", CANCEL]])).toBe(2);
  expect(existsSync(key())).toBe(false);
  const keys = [
    ["new passphrase", `${WORDS}\r`],
    ["The same again", `${WORDS}\r`],
  ] as const;
  expect(await typed(attest("a.json", "--passphrase"), keys)).toBe(0);
  expect(readFileSync(key(), "utf8")).toContain("ENCRYPTED");
});

it("signs when it is typed, and with no other", async () => {
  expect(await typed(attest("b.json"), [["passphrase of", "another one\r"]])).toBe(2);
  expect(existsSync(join(cli.dir, "b.json"))).toBe(false);
  expect(await typed(attest("b.json"), [["passphrase of", `${WORDS}\r`]])).toBe(0);
  const signed = ["--attestation", "b.json", "--public-key", join(cli.root, "keys", "attest.pub")];
  expect(await cli.json(["thread", "verify", threadId, ...signed])).toMatchObject({ ok: true });
});

it("signs nothing where nobody can type it", async () => {
  expect(await cli.fails(attest("c.json"))).toMatchObject({
    code: "KEY_INVALID",
    message: expect.stringContaining("nobody can be asked"),
  });
  expect(existsSync(join(cli.dir, "c.json"))).toBe(false);
  expect(await cli.fails(attest("c.json", "--passphrase"))).toMatchObject({ code: "USAGE" });
  expect(await cli.fails(attest("c.json", "--passphrase", "--key", key()))).toMatchObject({
    code: "USAGE",
  });
});
