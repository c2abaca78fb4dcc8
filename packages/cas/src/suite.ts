/** The promises of a `NodeStore`, as cases that any test runner can run. */

export { collidingTexts } from "./collision-pair.ts";
export { type NodeStoreCase, type NodeStoreHarness, nodeStoreCases } from "./node-store-suite.ts";
