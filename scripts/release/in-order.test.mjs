import { expect, it } from "vitest";
import { inOrder } from "./in-order.mjs";

const named = (name, ...needs) => ({ name, needs });

it("a package comes after all that it needs", () => {
  const order = inOrder([
    named("cli", "engine", "store"),
    named("engine", "store", "words"),
    named("store", "words"),
    named("words"),
    named("alone", "elsewhere"),
  ]);
  expect(order.map(({ name }) => name)).toEqual(["words", "store", "engine", "cli", "alone"]);
});

it("packages that need each other cannot be ordered", () => {
  expect(() => inOrder([named("a", "b"), named("b", "a")])).toThrow("a needs itself");
});
