import type { JsonObject } from "./json.ts";
import type { Limits } from "./limits.ts";
import type { ModeratorTable, RoleRules } from "./role.ts";
import type { WorkspaceMode } from "./workspace-mode.ts";

/** A workflow that needs no code of its own: plain JSON, the form to which a YAML file is compiled. */
export type WorkflowData = {
  description: string;
  /** Names in `config.agents`. */
  agents: {
    /** Runs the roles that no other agent is named for; null: `config.defaultAgent`. */
    default: string | null;
    roles: { readonly [role: string]: string };
  };
  roles: { readonly [role: string]: RoleData };
  table: ModeratorTable;
  limits?: Limits;
  /** JSONata: what the workflow returns when it has completed. */
  result?: string;
  workspace?: WorkspaceMode;
};

export type RoleData = {
  description: string;
  systemPrompt: string;
  /** JSON Schema of the role's meta, an object. */
  schema: JsonObject;
} & RoleRules;
