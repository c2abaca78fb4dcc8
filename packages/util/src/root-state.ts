import { existsSync } from "node:fs";
import { storagePaths } from "./storage-root.ts";

/** Whether a storage root says that it is not in its folder. */
export function isShared(root: string): boolean {
  return existsSync(storagePaths(root).place);
}

/** Whether a storage root has an index, here or elsewhere. Without one it has no threads, schedules or triggers. */
export function hasIndex(root: string): boolean {
  return existsSync(storagePaths(root).index) || isShared(root);
}
