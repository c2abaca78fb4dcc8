export type { AgentUnderTest, Difference } from "./agents/agent-under-test.ts";
export { BEHAVIOURS } from "./behaviours/all-behaviours.ts";
export type { Behaviour, Facts } from "./behaviours/behaviour.ts";
export {
  type Bench,
  type BindAgent,
  openBench,
  type Played,
  type StepOrder,
} from "./bench/open-bench.ts";
export {
  CALL_USAGE,
  type ModelServer,
  startModelServer,
} from "./model-server/start-model-server.ts";
export { PROGRAM_NAMES, type ProgramName } from "./programs/catalog.ts";
export { type CodexProvider, type Connection, connectionOf } from "./programs/connection.ts";
export { type InstalledProgram, installPrograms } from "./programs/install-programs.ts";
export { COORDINATING_WORKFLOW, HAND_WORKFLOW } from "./stage/coordinating-workflow.ts";
export { DEVELOP_WORKFLOW } from "./stage/develop-workflow.ts";
export { LIMITS_WORKFLOW } from "./stage/limits-workflow.ts";
export { makeRepository } from "./stage/make-repository.ts";
export { openStage, type Place, type Stage, type StageOrder } from "./stage/open-stage.ts";
export { type StepScripts, scriptByStep } from "./stage/script-by-step.ts";
export { TWO_STEPS_WORKFLOW } from "./stage/two-steps-workflow.ts";
