export { type Database, type DatabaseOptions, openDatabase } from "./database/database.ts";
export type { MoveState } from "./database/move-state.ts";
export { whileRootLocked } from "./database/root-lock.ts";
export { LEAST_MAJOR, type ServerFacts, serverFacts } from "./database/server-facts.ts";
export {
  type ArrivingRoot,
  type LeavingRoot,
  type MovingRoot,
  openPostgresArriving,
  openPostgresLeaving,
  postgresMoveState,
} from "./index/moving-index.ts";
export {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./index/open-index.ts";
export { postgresLiveLog } from "./live/postgres-live-log.ts";
export {
  type BundleFile,
  postgresBundles,
  type SharedBundles,
} from "./registry/postgres-bundles.ts";
export { postgresRegistry } from "./registry/postgres-registry.ts";
export {
  type EmbeddedServer,
  type ServerPlace,
  startEmbeddedServer,
  stopEmbeddedServer,
} from "./server/embedded-server.ts";
