/** The promises of a `NodeStore` and of a `RootStore`, as cases that any test runner can run. */

export { collidingTexts } from "./suite/collision-pair.ts";
export {
  type NodeStoreCase,
  type NodeStoreHarness,
  nodeStoreCases,
} from "./suite/node-store-suite.ts";
export type { RootStoreCase, RootStoreHarness } from "./suite/root-store-case.ts";
export { rootStoreCases } from "./suite/root-store-suite.ts";
