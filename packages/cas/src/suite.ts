/** The contracts of `NodeStore` and `RootStore`, as cases for any test runner. */

export {
  type BigBlobsCase,
  type BigBlobsHarness,
  bigBlobsCases,
} from "./suite/big-blobs-suite.ts";
export { collidingTexts } from "./suite/collision-pair.ts";
export {
  type NodeStoreCase,
  type NodeStoreHarness,
  nodeStoreCases,
} from "./suite/node-store-suite.ts";
export type { RootStoreCase, RootStoreHarness } from "./suite/root-store-case.ts";
export { movableRootStoreCases, rootStoreCases } from "./suite/root-store-suite.ts";
export { threadsAt } from "./suite/threads-at.ts";
