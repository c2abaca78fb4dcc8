import fc from "fast-check";
import { expect, test } from "vitest";
import { ancestorAt, ancestorsFor } from "./skip-list.ts";

/** A chain of states named by their numbers, 0 the first, and a count of loads. */
async function chainOf(length: number) {
  const ancestors = new Map<string, string[]>();
  const counter = { loads: 0 };
  const load = async (hash: string) => {
    counter.loads += 1;
    return ancestors.get(hash) ?? [];
  };
  for (let i = 0; i < length; i++) {
    counter.loads = 0;
    ancestors.set(String(i), await ancestorsFor(i === 0 ? null : String(i - 1), load));
    expect(counter.loads).toBeLessThanOrEqual(10);
  }
  return { ancestors, counter, load };
}

const chain = await chainOf(5000);

test("ancestors are the parent, then those at distances 2, 4, 8 … 1024, as far as they exist", () => {
  expect(chain.ancestors.get("0")).toEqual([]);
  expect(chain.ancestors.get("1")).toEqual(["0"]);
  expect(chain.ancestors.get("9")).toEqual(["8", "7", "5", "1"]);
  for (const [hash, ancestors] of chain.ancestors) {
    const distances = Array.from({ length: 11 }, (_, k) => 2 ** k).filter((d) => d <= Number(hash));
    expect(ancestors).toEqual(distances.map((distance) => String(Number(hash) - distance)));
  }
});

test("any earlier state is found, in few loads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4999), fc.nat(6000), async (head, distance) => {
      chain.counter.loads = 0;
      const found = await ancestorAt(String(head), distance, chain.load);
      expect(found).toBe(distance > head ? null : String(head - distance));
      expect(chain.counter.loads).toBeLessThanOrEqual(10 + Math.ceil(distance / 1024));
    }),
  );
});
