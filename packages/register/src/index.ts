export { type AddedWorkflow, type AddWorkflow, addWorkflow } from "./add-workflow.ts";
export { type BuildBundle, type BuiltBundle, buildBundle } from "./build/build-bundle.ts";
export { type BundleFiles, bundleFiles } from "./bundle/bundle-files.ts";
export { type OpenedBundle, openBundle } from "./bundle/open-bundle.ts";
export type { CheckRule } from "./check/check-descriptor.ts";
export type { ExternalBases } from "./externals/external-bases.ts";
export { hooksEnvironment, hooksUrl, useExternals } from "./externals/hooks.ts";
export { type LocatedPackage, locateExternal } from "./externals/locate-package.ts";
export { resolveExternals } from "./externals/resolve-externals.ts";
export { readRegistry, readSettings } from "./registry/read-registry.ts";
export type {
  AgentSettings,
  BundleVersion,
  Exclusively,
  ModelReference,
  ProviderSettings,
  Registry,
  RegistryEntry,
  Settings,
} from "./registry/registry.ts";
export { unknownWorkflow } from "./registry/unknown-workflow.ts";
export { type RemoveWorkflow, removeWorkflow } from "./remove-workflow.ts";
export { type RollbackWorkflow, type RolledBack, rollbackWorkflow } from "./rollback-workflow.ts";
