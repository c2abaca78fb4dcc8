export { type Database, type DatabaseOptions, openDatabase } from "./database/database.ts";
