import {
  type AdapterFn,
  type AgentHost,
  type AgentPackage,
  type AgentProbe,
  failureFrom,
  type JsonObject,
} from "@uncaged/workflow-protocol";
import type { Environment } from "../process/cli-environment.ts";
import { versionOf } from "../process/version-of.ts";

/** The `agent` export of a package whose agent is a model. `probe` reports what is wrong with its options or with
 *  the model that they name, as something to fix. */
export function modelAgentPackage<Config>(about: {
  name: string;
  /** `import.meta.url` of a module directly in the package's `src`. */
  moduleUrl: string;
  /** Throws `CONFIG_INVALID`. */
  configOf: (options: JsonObject, host: AgentHost) => Config;
  create: (config: Config) => AdapterFn;
  probe: (config: Config, env: Environment) => AgentProbe;
}): AgentPackage {
  const { name, moduleUrl, configOf, create, probe } = about;
  return {
    name,
    create: (options, host) => create(configOf(options, host)),
    async probe(options, host) {
      try {
        return probe(configOf(options, host), host.env);
      } catch (thrown) {
        const { message, hint } = failureFrom(thrown, "CONFIG_INVALID");
        return {
          path: null,
          version: versionOf(moduleUrl),
          installed: true,
          login: "missing",
          features: [],
          fix: hint === "" ? message : `${message}; ${hint}`,
        };
      }
    },
  };
}
