import fc from "fast-check";
import { expect, test } from "vitest";
import { ancestorAt } from "./skip-list.ts";

/** The skip list of state `n` in a chain whose states are named by their numbers, from 0. */
function ancestorsOf(n: number): string[] {
  const distances = Array.from({ length: 11 }, (_, k) => 2 ** k);
  return distances.filter((distance) => distance <= n).map((distance) => String(n - distance));
}

test("any earlier state is found, in few loads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4999), fc.nat(6000), async (head, distance) => {
      let loads = 0;
      const found = await ancestorAt(String(head), distance, async (hash) => {
        loads += 1;
        return ancestorsOf(Number(hash));
      });
      expect(found).toBe(distance > head ? null : String(head - distance));
      expect(loads).toBeLessThanOrEqual(10 + Math.ceil(distance / 1024));
    }),
  );
});
