/** The simulations replace modules of the product, so a change there can break them: a few seeds tell at once. Many seeds,
 *  and whether they see what is broken, are a trial. */
import { expect, it } from "vitest";
import { simulate, simulateQueue, simulateShared } from "./simulation.test.helper.mjs";

it.each([
  ["a disk that loses what was not flushed", simulate],
  ["the merge queue", simulateQueue],
  ["machines that share a root", simulateShared],
])("%s is simulated", async (_, play) => {
  const { code, stdout, stderr } = await play(["--seeds", "3"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("3 seeds, ");
});
