import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownAttestKey, readAttestKey, readPublicKey } from "./attest-key.ts";
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

describe("a key of one's own", () => {
  const pem = (type: "ed25519" | "x25519"): string => {
    const { privateKey } =
      type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519");
    return String(privateKey.export({ type: "pkcs8", format: "pem" }));
  };

  it.each([
    ["another kind of key", () => pem("x25519")],
    ["half a key", () => pem("ed25519").slice(0, 60)],
    ["nothing", () => ""],
    [
      "a key with a passphrase",
      () =>
        String(
          generateKeyPairSync("ed25519").privateKey.export({
            ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" },
          }),
        ),
    ],
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
