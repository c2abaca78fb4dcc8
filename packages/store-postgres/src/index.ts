export { type Database, type DatabaseOptions, openDatabase } from "./database/database.ts";
export {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./index/open-index.ts";
export { postgresLiveLog } from "./live/postgres-live-log.ts";
export { postgresRegistry } from "./registry/postgres-registry.ts";
export {
  type EmbeddedServer,
  type ServerPlace,
  startEmbeddedServer,
  stopEmbeddedServer,
} from "./server/embedded-server.ts";
