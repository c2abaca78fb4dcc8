export { type AddedWorkflow, type AddWorkflow, addWorkflow } from "./add-workflow.ts";
export { addAgentsCommand } from "./agents/add-agents.ts";
export { agentHost } from "./agents/agent-host.ts";
export { type InstalledAgent, loadAgentPackage } from "./agents/load-agent-package.ts";
export { type RoleAgent, roleAgents } from "./agents/role-agents.ts";
export { type BuildBundle, type BuiltBundle, buildBundle } from "./build/build-bundle.ts";
export { type BundleFiles, bundleFiles } from "./bundle/bundle-files.ts";
export { checkImportedBundle, type ImportedBundle } from "./bundle/check-imported-bundle.ts";
export { importBundle } from "./bundle/import-bundle.ts";
export { type OpenedBundle, openBundle } from "./bundle/open-bundle.ts";
export { type BundleToStore, storeBundle } from "./bundle/store-bundle.ts";
export { parseStoredDescriptor } from "./bundle/stored-descriptor.ts";
export type { CheckRule } from "./check/check-descriptor.ts";
export type { Finding } from "./check/finding.ts";
export { checkWorkflowFile, type WorkflowFileToCheck } from "./check-workflow-file.ts";
export type { ExternalBases } from "./externals/external-bases.ts";
export { hooksEnvironment, hooksUrl, useExternals } from "./externals/hooks.ts";
export { type LocatedPackage, locateExternal, locateUpwards } from "./externals/locate-package.ts";
export { resolveExternals } from "./externals/resolve-externals.ts";
export type { SettingsChange } from "./registry/edit-settings.ts";
export { type FileRegistry, fileRegistry } from "./registry/file-registry.ts";
export { readKeyFile, variablesOf } from "./registry/key-file.ts";
export { memoryRegistry } from "./registry/memory-registry.ts";
export { modelReference } from "./registry/model-reference.ts";
export { type ProviderCaller, providerCaller } from "./registry/provider-callers.ts";
export { readLimits } from "./registry/read-limits.ts";
export { readRegistry, readSettings } from "./registry/read-registry.ts";
export { readStoreKind } from "./registry/read-store-kind.ts";
export type {
  AgentSettings,
  CheckSettings,
  Exclusively,
  ListenerSettings,
  ModelReference,
  ProviderSettings,
  Registry,
  Settings,
  TaskDefaults,
} from "./registry/registry.ts";
export { registered, rolledBack } from "./registry/registry-changes.ts";
export { resolveKey } from "./registry/resolve-key.ts";
export { resolveModel } from "./registry/resolve-model.ts";
export { unknownWorkflow } from "./registry/unknown-workflow.ts";
export { type RollbackWorkflow, type RolledBack, rollbackWorkflow } from "./rollback-workflow.ts";
export { workflowText } from "./workflow-text.ts";
export { agentsInBundle } from "./yaml/agents-in-bundle.ts";
export { yamlFaults } from "./yaml/compile-yaml.ts";
export { didYouMean } from "./yaml/did-you-mean.ts";
export type { YamlChecks } from "./yaml/yaml-checks.ts";
export { lineOf, spanOf, type YamlSource } from "./yaml/yaml-source.ts";
