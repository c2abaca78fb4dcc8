export {
  CALL_USAGE,
  type ModelServer,
  startModelServer,
} from "./model-server/start-model-server.ts";
export { PROGRAM_NAMES, type ProgramName } from "./programs/catalog.ts";
export { type InstalledProgram, installPrograms } from "./programs/install-programs.ts";
