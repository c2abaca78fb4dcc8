/** The Ed25519 key that signs attestations: `keys/attest.key` in the storage root (PKCS#8 PEM, mode 0600), created when
 *  it is first needed, and `keys/attest.pub` beside it (SPKI PEM), for those who verify. It may have a passphrase: then a
 *  person signs, and no program can that only reads files. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { makeFolderSync, readRegularFile, writeFileAtomic } from "@uncaged/workflow-util";

export type AttestKey = {
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** Absolute path of the public key to hand out; null when we did not create the key. */
  publicKeyFile: string | null;
};

/** The person who knows passphrases. Each returns null when the person gives none. */
export type Passphrases = {
  /** The one that opens this file. */
  open: (file: string) => Promise<string | null>;
  /** A new one, for the storage root's own key; null: that stays as it is. */
  protect: (() => Promise<string | null>) | null;
};

/** The key in this file; `KEY_INVALID` or `FILE_NOT_FOUND` when it cannot be used. `open`: who opens one with a passphrase;
 *  null: nobody can be asked. */
export async function readAttestKey(
  file: string,
  open: Passphrases["open"] | null = null,
): Promise<Result<AttestKey, Failure>> {
  const pem = await readPem(file);
  if (!pem.ok) return pem;
  if (await othersMayRead(file)) {
    return err(keyInvalid(file, "may be read by others", `run: chmod 600 ${JSON.stringify(file)}`));
  }
  const isLocked = pem.value.startsWith("-----BEGIN ENCRYPTED PRIVATE KEY-----");
  if (isLocked && open === null)
    return err(keyInvalid(file, "has a passphrase, and nobody can be asked for it", ASK_THERE));
  const passphrase = isLocked ? await open?.(file) : undefined;
  if (passphrase === null) return err(noPassphrase(file));
  const privateKey = parsed(() =>
    createPrivateKey({ key: pem.value, ...(passphrase === undefined ? {} : { passphrase }) }),
  );
  if (privateKey === null && isLocked)
    return err(keyInvalid(file, "does not open with this passphrase", "try again"));
  if (privateKey?.asymmetricKeyType !== "ed25519")
    return err(keyInvalid(file, "is not an Ed25519 private key in PEM", MAKE_ONE));
  return ok({ privateKey, publicKey: createPublicKey(privateKey), publicKeyFile: null });
}

/** Where the storage root's own key is, or will be created. */
export function ownKeyFile(root: string): string {
  return join(root, "keys", "attest.key");
}

/** The storage root's own key. Two processes that create it at the same time get the same key. */
export async function ownAttestKey(
  root: string,
  passphrases: Passphrases | null = null,
): Promise<Result<AttestKey, Failure>> {
  const folder = join(root, "keys");
  const file = ownKeyFile(root);
  makeFolderSync(folder);
  const key = await readOrMake(file, passphrases);
  if (!key.ok) return key;
  const publicKeyFile = join(folder, "attest.pub");
  // Written each time: it is derived from the private key, so replacing that one is enough.
  const data = key.value.publicKey.export({ type: "spki", format: "pem" });
  await writeFileAtomic({ path: publicKeyFile, data, mode: 0o600, existing: "replace" });
  return ok({ ...key.value, publicKeyFile });
}

/** A public key to verify with. A private key is refused: it has no business where others verify. */
export async function readPublicKey(file: string): Promise<Result<KeyObject, Failure>> {
  const pem = await readPem(file);
  if (!pem.ok) return pem;
  const isPublic = /^-----BEGIN PUBLIC KEY-----\r?\n/.test(pem.value);
  const publicKey = isPublic ? parsed(() => createPublicKey(pem.value)) : null;
  if (publicKey?.asymmetricKeyType === "ed25519") return ok(publicKey);
  return err(
    keyInvalid(
      file,
      "is not an Ed25519 public key in PEM",
      "give the keys/attest.pub of the signer",
    ),
  );
}

async function readOrMake(
  file: string,
  passphrases: Passphrases | null,
): Promise<Result<AttestKey, Failure>> {
  const { open = null, protect = null } = passphrases ?? {};
  const existing = await readAttestKey(file, open);
  if (!existing.ok && existing.error.code !== "FILE_NOT_FOUND") return existing;
  if (existing.ok && protect === null) return existing;
  const passphrase = protect === null ? undefined : await protect();
  if (passphrase === null) return err(noPassphrase(file));
  const { privateKey } = existing.ok ? existing.value : generateKeyPairSync("ed25519");
  const data = privateKey.export({
    ...{ type: "pkcs8", format: "pem" },
    ...(passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase }),
  });
  // A key that is there is replaced only by itself; of two that are made at the same time the first one stays.
  const mode = existing.ok ? "replace" : "keep";
  await writeFileAtomic({ path: file, data, mode: 0o600, existing: mode });
  return readAttestKey(file, passphrase === undefined ? open : async () => passphrase);
}

async function readPem(file: string): Promise<Result<string, Failure>> {
  const read = await readRegularFile(file, MAX_KEY_BYTES);
  if (read.ok) return ok(read.value.toString("utf8"));
  if (!read.error.absent) return err(keyInvalid(file, read.error.problem, MAKE_ONE));
  return err(failure("FILE_NOT_FOUND", `there is no file ${file}`, "check the path"));
}

async function othersMayRead(file: string): Promise<boolean> {
  if (process.platform === "win32") return false; // modes mean nothing there
  return ((await stat(file)).mode & 0o077) !== 0;
}

function parsed(parse: () => KeyObject): KeyObject | null {
  try {
    return parse();
  } catch {
    return null;
  }
}

/** A key has about a hundred. */
const MAX_KEY_BYTES = 64 * 1024;

const ASK_THERE = "sign on a terminal, where the person who knows it can type it";

function noPassphrase(file: string): Failure {
  return keyInvalid(file, "was not opened: no passphrase was given", "nothing was signed");
}

const MAKE_ONE = "make one with: openssl genpkey -algorithm ed25519 -out attest.key";

function keyInvalid(file: string, problem: string, hint: string): Failure {
  return failure("KEY_INVALID", `${file} ${problem}`, hint);
}
