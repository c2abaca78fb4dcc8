import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownAttestKey, type Passphrases, readAttestKey, readPublicKey } from "./attest-key.ts";
import { keyIdOf } from "./dsse.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "attest-key-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function ownKeyId(): Promise<string> {
  const key = await ownAttestKey(root);
  if (!key.ok) throw new Error(key.error.message);
  return keyIdOf(key.value.publicKey);
}

describe("the storage root's own key", () => {
  it("is made once, is private, and has its public half beside it", async () => {
    const id = await ownKeyId();
    expect(await ownKeyId()).toBe(id);
    expect((await stat(join(root, "keys", "attest.key"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, "keys"))).mode & 0o777).toBe(0o700);
    const publicKey = await readPublicKey(join(root, "keys", "attest.pub"));
    expect(publicKey.ok && keyIdOf(publicKey.value)).toBe(id);
  });

  it("is the same for all who make it at the same time", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, ownKeyId));
    expect(new Set(ids).size).toBe(1);
  });

  it("is refused when others may read it", async () => {
    await ownKeyId();
    await chmod(join(root, "keys", "attest.key"), 0o640);
    expect(await ownAttestKey(root)).toMatchObject({
      error: { code: "KEY_INVALID", message: expect.stringContaining("may be read by others") },
    });
  });
});

describe("the storage root's own key with a passphrase", () => {
  const knowing = (open: string | null, protect: string | null = null): Passphrases => ({
    open: async () => open,
    protect: protect === null ? null : async () => protect,
  });
  const file = () => join(root, "keys", "attest.key");

  it("is made with one, and never lies there without", async () => {
    const made = await ownAttestKey(root, knowing(null, "first words"));
    expect(made.ok && made.value.privateKey.type).toBe("private");
    expect(await readFile(file(), "utf8")).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it("stays the same key when it gets one, and when it gets another", async () => {
    const id = await ownKeyId();
    for (const [open, protect] of [
      [null, "first words"],
      ["first words", "second words"],
    ] as const) {
      const key = await ownAttestKey(root, knowing(open, protect));
      expect(key.ok && keyIdOf(key.value.publicKey)).toBe(id);
    }
    const key = await ownAttestKey(root, knowing("second words"));
    expect(key.ok && keyIdOf(key.value.publicKey)).toBe(id);
    expect(await ownAttestKey(root, knowing("first words"))).toMatchObject({
      error: { code: "KEY_INVALID", message: expect.stringContaining("does not open") },
    });
  });

  it("does not open without the person, and stays as it is when the person gives none", async () => {
    await ownAttestKey(root, knowing(null, "first words"));
    const before = await readFile(file());
    expect(await ownAttestKey(root)).toMatchObject({
      error: { code: "KEY_INVALID", message: expect.stringContaining("nobody can be asked") },
    });
    const cancels: Passphrases = { open: async () => "first words", protect: async () => null };
    for (const people of [knowing(null), knowing(null, "second words"), cancels])
      expect(await ownAttestKey(root, people)).toMatchObject({
        error: { code: "KEY_INVALID", message: expect.stringContaining("no passphrase was given") },
      });
    expect(await readFile(file())).toEqual(before);
  });
});

describe("a key of one's own", () => {
  type Kind = "ed25519" | "x25519";
  const keyOf = (kind: Kind) =>
    (kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519"))
      .privateKey;
  const pem = (kind: Kind, protection = {}): string =>
    String(keyOf(kind).export({ type: "pkcs8", format: "pem", ...protection }));
  const locked = (kind: Kind) => pem(kind, { cipher: "aes-256-cbc", passphrase: "a word" });

  it("opens with its passphrase, if it is one that signs", async () => {
    const file = join(root, "my.key");
    const open = async () => "a word";
    await writeFile(file, locked("ed25519"), { mode: 0o600 });
    expect(await readAttestKey(file, open)).toMatchObject({ ok: true });
    await writeFile(file, locked("x25519"), { mode: 0o600 });
    expect(await readAttestKey(file, open)).toMatchObject({
      error: { code: "KEY_INVALID", message: expect.stringContaining("is not an Ed25519") },
    });
  });

  it.each([
    ["another kind of key", () => pem("x25519")],
    ["half a key", () => pem("ed25519").slice(0, 60)],
    ["nothing", () => ""],
    ["a key with a passphrase that nobody here knows", () => locked("ed25519")],
  ])("is refused when it is %s", async (_name, make) => {
    const file = join(root, "my.key");
    await writeFile(file, make(), { mode: 0o600 });
    expect(await readAttestKey(file)).toMatchObject({ error: { code: "KEY_INVALID" } });
    expect(await readPublicKey(file)).toMatchObject({ error: { code: "KEY_INVALID" } });
  });

  it("is refused where a public one belongs", async () => {
    await ownKeyId();
    const failure = await readPublicKey(join(root, "keys", "attest.key"));
    expect(failure).toMatchObject({ error: { code: "KEY_INVALID" } });
  });

  it("that is missing is reported as a missing file", async () => {
    expect(await readAttestKey(join(root, "no.key"))).toMatchObject({
      error: { code: "FILE_NOT_FOUND" },
    });
  });
});
