/** The promises of a `NodeStore`, as cases that any test runner can run. */

export { collidingTexts } from "./suite/collision-pair.ts";
export {
  type NodeStoreCase,
  type NodeStoreHarness,
  nodeStoreCases,
} from "./suite/node-store-suite.ts";
