export { type Database, type DatabaseOptions, openDatabase } from "./database/database.ts";
export {
  type EmbeddedServer,
  type ServerPlace,
  startEmbeddedServer,
  stopEmbeddedServer,
} from "./server/embedded-server.ts";
