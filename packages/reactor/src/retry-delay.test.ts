import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedDelayMs, retryDelayMs } from "./retry-delay.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const delay = ({
  retryAfter = null,
  ...about
}: Partial<Parameters<typeof retryDelayMs>[0]> & { retryAfter?: string | null } = {}):
  | number
  | null => {
  const askedMs = askedDelayMs(retryAfter, nowMs);
  return retryDelayMs({ tries: 0, askedMs, random: () => 0, maxDelayMs: 60_000, ...about });
};

const soonest = () => 0;
const latest = () => 0.999_999;

describe("retryDelayMs", () => {
  it("doubles, minus a random part of up to half", () => {
    const range = (tries: number) => [
      delay({ tries, random: soonest }),
      delay({ tries, random: latest }),
    ];
    expect([0, 1, 2].map(range)).toEqual([
      [250, 500],
      [500, 1_000],
      [1_000, 2_000],
    ]);
  });

  it("waits as long as the server asks, plus a small random part, and never less", () => {
    const retryAfter = "8";
    expect(delay({ retryAfter, random: soonest })).toBe(8_000);
    expect(delay({ retryAfter, random: latest })).toBe(9_000);
    const date = new Date(nowMs + 8_000).toUTCString();
    expect(delay({ retryAfter: date, random: soonest })).toBe(8_000);
  });

  it.each(["3600", "9".repeat(400), "61", "Sun, 06 Nov 2094 08:49:37 GMT"])(
    "does not wait when the server asks for too long: %s",
    (retryAfter) => expect(delay({ retryAfter })).toBeNull(),
  );

  it.each(["-5", "soon", "soon 5", "NaN", "Infinity", "1e9", "0x10", ", 5", "in 2001"])(
    "ignores what makes no sense: %s",
    (retryAfter) => expect(delay({ retryAfter })).toBe(250),
  );

  // The first property test in a process takes a second to load its library, more on a busy machine.
  it("is a time that can be waited, whatever the server says", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.nat(1_100),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (retryAfter, tries, at) => {
          const ms = delay({ retryAfter, tries, random: () => at });
          expect(ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= 60_000)).toBe(true);
        },
      ),
    );
  });
});
