import { collectCases, moveCases } from "./collect-cases.ts";
import { publishCases } from "./publish-cases.ts";
import type { RootStoreCase } from "./root-store-case.ts";

/** What a `RootStore` promises beyond `nodeStoreCases`: every backend runs both. */
export const rootStoreCases: readonly RootStoreCase[] = [...publishCases, ...collectCases];

/** Besides, where blobs can be rows or files: what `move` promises. */
export const movableRootStoreCases: readonly RootStoreCase[] = [...rootStoreCases, ...moveCases];
