import { expect, it } from "vitest";
import { parseChildOrder } from "./parse-child-order.ts";

const ORDER = {
  token: "t0k3n",
  bundleUrl: "file:///root/bundles/HASH/bundle.esm.js",
  hooks: { bundles: "file:///root/bundles/", bases: { root: "/root", packagesBase: "file:///" } },
};
const sent = (order: unknown): Buffer => Buffer.from(`${JSON.stringify(order)}\nexport {};\n`);

it("reads an order, and takes all that follows its line for the bundle", () => {
  const { order, source } = parseChildOrder(sent(ORDER));
  expect(order).toEqual(ORDER);
  expect(source.toString()).toBe("export {};\n");
});

it.each<[string, unknown]>([
  ["nothing", null],
  ["no token", { ...ORDER, token: undefined }],
  ["a URL that is none", { ...ORDER, bundleUrl: 7 }],
  ["no folder of bundles", { ...ORDER, hooks: { bases: ORDER.hooks.bases } }],
  ["no place of packages", { ...ORDER, hooks: { ...ORDER.hooks, bases: {} } }],
])("refuses an order with %s", (_, order) => {
  expect(() => parseChildOrder(sent(order))).toThrow("does not begin with an order");
});
