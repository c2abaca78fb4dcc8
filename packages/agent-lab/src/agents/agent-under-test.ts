import type { AdapterFn } from "@uncaged/workflow-protocol";
import type { AgentOptions } from "@uncaged/workflow-util-agent";
import type { Facts } from "../behaviours/behaviour.ts";
import type { ProgramName } from "../programs/catalog.ts";
import type { InstalledProgram } from "../programs/install-programs.ts";

/** A row of the table: an adapter with the program behind it. */
export type AgentUnderTest = {
  name: string;
  program: ProgramName;
  /** Binds it to the model server at `url`, which has no path. */
  bind(program: InstalledProgram, url: string, options: AgentOptions): AdapterFn;
  /** The same as an entry of `config.agents` in `workflow.yaml`. */
  binding(program: InstalledProgram, url: string): AgentBinding;
  /** Where the program differs from the others, by the behaviour's id. */
  differs: { readonly [behaviour: string]: Difference };
};

export type AgentBinding = {
  package: string;
  /** Becomes JSON. */
  options: Pick<AgentOptions, "env"> & { readonly [name: string]: unknown };
  /** `config.providers`, for an agent that is no program. */
  providers?: { readonly [name: string]: unknown };
};

export type Difference = {
  /** Facts that are seen in place of the expected ones. */
  expects?: Facts;
  /** Facts that vary from run to run, and are not checked. */
  unsteady?: readonly string[];
  because: string;
};
