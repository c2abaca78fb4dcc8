import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BLOCK_BYTES,
  MAX_ENTRY_BYTES,
  paddingAfter,
  readTarHeader,
  tarHeader,
} from "./tar-header.ts";

const entry = fc.record({
  name: fc.stringMatching(/^[!-~]{1,100}$/),
  size: fc.integer({ min: 0, max: MAX_ENTRY_BYTES }),
});

test("a header reads back as what it was written for", () => {
  fc.assert(
    fc.property(entry, (each) => {
      expect(readTarHeader(tarHeader(each))).toEqual(each);
    }),
  );
});

test("a header of which one bit was changed is none, whichever bit it was", () => {
  const header = tarHeader({ name: "cas/EYHPV6X8XHTCS.txt", size: 1234 });
  for (let bit = 0; bit < BLOCK_BYTES * 8; bit++) {
    const changed = Buffer.from(header);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(readTarHeader(changed), `bit ${bit}`).toBeNull();
  }
});

test("the bytes are those of a plain file without owner or time", () => {
  const header = tarHeader({ name: "thread.json", size: 10 }).toString("latin1");
  expect(header.replace(/\0+/g, "|")).toBe(
    "thread.json|0000644|0000000|0000000|00000000012|00000000000|010100| 0|ustar|00|",
  );
});

test.each(["", "a b", "ü", "a\0", "a".repeat(101)])("no entry is called %j", (name) => {
  expect(() => tarHeader({ name, size: 0 })).toThrow(TypeError);
});

test("no entry is longer than a header can say", () => {
  expect(() => tarHeader({ name: "a", size: MAX_ENTRY_BYTES + 1 })).toThrow(TypeError);
});

test("contents are filled up to whole blocks", () => {
  expect([0, 1, 511, 512, 513].map(paddingAfter)).toEqual([0, 511, 1, 0, 511]);
});
