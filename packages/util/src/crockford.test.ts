import fc from "fast-check";
import { expect, test } from "vitest";
import { crockford64, randomTag } from "./crockford.ts";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const uint32 = fc.integer({ min: 0, max: 0xffffffff });

test("the smallest and the largest 64 bits keep their 13 characters", () => {
  expect(crockford64(0, 0)).toBe("0000000000000");
  expect(crockford64(0, 1)).toBe("0000000000001");
  expect(crockford64(0xffffffff, 0xffffffff)).toBe("FZZZZZZZZZZZZ");
  expect(crockford64(0x80000000, 0)).toBe("8000000000000");
});

test("the two halves are written like one 64-bit number", () => {
  fc.assert(
    fc.property(uint32, uint32, (high, low) => {
      let rest = (BigInt(high) << 32n) | BigInt(low);
      let expected = "";
      for (let i = 0; i < 13; i++, rest >>= 5n) expected = ALPHABET[Number(rest & 31n)] + expected;
      expect(crockford64(high, low)).toBe(expected);
    }),
  );
});

test("texts sort as their numbers do", () => {
  fc.assert(
    fc.property(uint32, uint32, uint32, uint32, (h1, l1, h2, l2) => {
      const order = h1 === h2 ? l1 - l2 : h1 - h2;
      const [a, b] = [crockford64(h1, l1), crockford64(h2, l2)];
      expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test("a random tag has the requested length and no letter that is easily misread", () => {
  expect(randomTag(8)).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(randomTag(0)).toBe("");
  expect(new Set(Array.from({ length: 1000 }, () => randomTag(8))).size).toBe(1000);
});
