/** Imports nothing but Node's own modules and its neighbours: it runs inside the locked child. */
import { hookTargetsIn } from "../externals/hooks-environment.ts";
import type { ChildOrder } from "./child-report.ts";

/** An order, and the bundle that follows it. Throws when it is none: then nothing is imported. */
export function parseChildOrder(input: Buffer): { order: ChildOrder; source: Buffer } {
  const end = input.indexOf(0x0a);
  const told: unknown = JSON.parse(input.subarray(0, end).toString("utf8"));
  const { token, bundleUrl, hooks }: { [part in keyof ChildOrder]?: unknown } = Object(told);
  const targets = hookTargetsIn(hooks);
  if (typeof token !== "string" || typeof bundleUrl !== "string" || targets === null) {
    throw new Error("standard input does not begin with an order");
  }
  return { order: { token, bundleUrl, hooks: targets }, source: input.subarray(end + 1) };
}
