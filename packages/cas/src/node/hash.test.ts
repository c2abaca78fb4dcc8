import { expect, test } from "vitest";
import { collidingTexts } from "../suite/collision-pair.ts";
import { encodeContent } from "./codec.ts";
import { hashBytes, sha256Hex } from "./hash.ts";

test.each([
  ["", "EYHPV6X8XHTCS"],
  ["a", "D4KP4Y6MRRVJV"],
])("the published vector %j keeps its hash %s", (text, expected) => {
  expect(hashBytes(text)).toBe(expected);
  expect(hashBytes(Buffer.from(text))).toBe(expected);
});

test("a text is hashed as UTF-8, and a view hashes only what it shows", () => {
  const bytes = new TextEncoder().encode("--日本語 😀--");
  expect(hashBytes(bytes.subarray(2, -2))).toBe(hashBytes("日本語 😀"));
  expect(sha256Hex(bytes.subarray(2, -2))).toBe(sha256Hex("日本語 😀"));
});

test("SHA-256 is written in hex", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test("these two texts have one XXH64, so the hash alone proves nothing", () => {
  const [a, b] = [
    "tTVkcv9OuRrEpMuycXjwnxA3UUaHyp9HqykJZBYL6SGXLjzKFukOJ9w57fxLdCfW",
    "IsASbqGruRrEpMuycXjwnxA3UUaHyp9H5zOyicSc6SGXLjzKFukOJ9w57fxLdCfW",
  ];
  expect(hashBytes(a)).toBe(hashBytes(b));
  expect(sha256Hex(a)).not.toBe(sha256Hex(b));
});

test("so do these two whole nodes, and a store must cope with that", () => {
  const [a, b] = collidingTexts.map((text) => encodeContent(text));
  expect(a?.hash).toBe(b?.hash);
  expect(a?.text).not.toBe(b?.text);
  expect(a?.sha256).not.toBe(b?.sha256);
});
