export { type Edge, expectEveryEdge, untakenEdges, walkTable } from "./edge-coverage.ts";
export { expectRoute } from "./expect-route.ts";
export { memoryCas } from "./memory-cas.ts";
export type { Children } from "./memory-runtime.ts";
export { recorded, recordedAnswers, recordedRoute } from "./recorded.ts";
export { pastStep, type RunOptions, type RunResult, runWorkflow } from "./run-workflow.ts";
export { type Scripts, scripted } from "./scripted.ts";
export { after, answers, fails, type ScriptedTurn, says, type Turn } from "./scripted-turn.ts";
