export {
  type AdapterBinding,
  type AdapterFn,
  type AgentEvent,
  type AgentFn,
  type ChildOutcome,
  type ChildRequest,
  END,
  type EvidenceRequirement,
  type ModeratorTable,
  type RoleDefinition,
  type RoleFn,
  type RoleMeta,
  type RoleOutput,
  type RoleResult,
  type RoleRules,
  type RoleStep,
  START,
  type StartStep,
  type StepRun,
  type StepScope,
  SUSPEND,
  type ThreadContext,
  type ToolPolicy,
  type ToolRule,
  type Transition,
  type WorkflowCompletion,
  type WorkflowDefinition,
  type WorkflowDescriptor,
  type WorkflowFn,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
export { buildDescriptor } from "./build-descriptor.ts";
export { createWorkflow } from "./create-workflow.ts";
export { definePerson, defineRole, defineWorkflow } from "./define.ts";
export { namedAgent } from "./named-agent.ts";
export { type WorkflowAgentOptions, workflowAsAgent } from "./workflow-as-agent.ts";
