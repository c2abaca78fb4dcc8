import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSignedBy, keyIdOf, parseEnvelope, preAuthEncoding, sealEnvelope } from "./dsse.ts";

/** Test key 1 of RFC 8032, 7.1. */
const SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${SEED}`, "hex"),
  format: "der",
  type: "pkcs8",
});
const keys = { privateKey, publicKey: createPublicKey(privateKey) };
const other = generateKeyPairSync("ed25519");

describe("the pre-authentication encoding", () => {
  it("is that of the DSSE protocol's example", () => {
    expect(
      preAuthEncoding("http://example.com/HelloWorld", Buffer.from("hello world")).toString(),
    ).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  });

  it("counts bytes, not characters", () => {
    expect(preAuthEncoding("tüp", Buffer.from("日本")).toString()).toBe("DSSEv1 4 tüp 6 日本");
  });
});

describe("an envelope", () => {
  it("reads back as what was sealed, signed by its key and by no other", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: "grapheme" }), (bytes, type) => {
        const envelope = parseEnvelope(sealEnvelope(Buffer.from(bytes), type, keys));
        if (envelope === null) throw new Error("it does not read back");
        expect(envelope.payload).toEqual(Buffer.from(bytes));
        expect(envelope.payloadType).toBe(type);
        expect(isSignedBy(envelope, keys.publicKey)).toBe(true);
        expect(isSignedBy(envelope, other.publicKey)).toBe(false);
      }),
    );
  });

  it("has the bytes that openssl returns for the same key", () => {
    const keyid = "06e3fd8fda29bb60ab59557de61edb0aecdb231134be30e75b455f8e1b792fa9";
    const sig =
      "uzNVOGxJaZDyK/1vp+fuNZCgnu6F8sINYvYJd/p8CBqfwQODV/Yzv7CcRTtig/ojUfykFlFvK/5/QLUkgMNSCQ==";
    expect(sealEnvelope(Buffer.from("{}"), "application/json", keys)).toBe(
      `{"payload":"e30=","payloadType":"application/json","signatures":[{"keyid":"${keyid}","sig":"${sig}"}]}
`,
    );
  });

  it("is not signed by a key whose id was put on it", () => {
    const sealed = sealEnvelope(Buffer.from("{}"), "application/json", other);
    const relabelled = sealed.replace(keyIdOf(other.publicKey), keyIdOf(keys.publicKey));
    const envelope = parseEnvelope(relabelled);
    expect(envelope).not.toBeNull();
    expect(envelope && isSignedBy(envelope, keys.publicKey)).toBe(false);
  });

  it.each<[string, (text: string) => string]>([
    ["has other spaces", (text) => text.replace(":", ": ")],
    ["has no newline at the end", (text) => text.trimEnd()],
    ["has another key", (text) => text.replace("{", '{"a":1,')],
    ["has two signatures", (text) => text.replace(/\[(.*)\]/, "[$1,$1]")],
    ["has no signature", (text) => text.replace(/\[.*\]/, "[]")],
    ["is base64 of another spelling", (text) => text.replace('e30="', 'e31="')],
    ["is no JSON", (text) => text.slice(1)],
    ["is a list", () => "[]\n"],
  ])("that %s is none", (_name, change) => {
    const sealed = sealEnvelope(Buffer.from("{}"), "application/json", keys);
    expect(change(sealed)).not.toBe(sealed);
    expect(parseEnvelope(change(sealed))).toBeNull();
  });
});
