/** What a registry in another place needs: what each change makes of a name. Loads nothing else of this package. */
export { registered, rolledBack } from "./registry/registry-changes.ts";
export { unknownWorkflow } from "./registry/unknown-workflow.ts";
