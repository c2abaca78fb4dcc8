/** From a newly started process to a session that can be prompted. */
import {
  type ClientContext,
  type LoadSessionRequest,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import type { ToolServer } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { AcpProgram } from "./acp-program.ts";
import { endOfFault } from "./turn-end.ts";

/** The session to resume no longer exists. */
export class SessionLost extends Error {}

const initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({ loadSession: z.boolean().catch(false) })
    .catch({ loadSession: false }),
  authMethods: z.array(z.object({ id: z.string() })).catch([]),
});

const choices = z.object({
  sessionId: z.string().nullish().catch(null),
  modes: z
    .object({ currentModeId: z.string(), availableModes: z.array(z.object({ id: z.string() })) })
    .nullish()
    .catch(null),
  configOptions: z
    .array(z.object({ id: z.string(), category: z.string().nullish(), currentValue: z.unknown() }))
    .nullish()
    .catch(null),
});
type Choices = z.infer<typeof choices>;

/** Returns the session's id. Rejects with `SessionLost`, with the agent's refusal, or with an `Error` when it does
 *  not offer what was requested. */
export async function openSession(
  agent: ClientContext,
  program: AcpProgram,
  about: {
    cwd: string;
    /** The session to resume; null: a new one. */
    session: string | null;
    /** Determines which login methods are possible. */
    env: Readonly<Record<string, string>>;
    login: boolean;
    isHeld: boolean;
    /** Tools of the engine; left out: none. */
    toolServer?: ToolServer | undefined;
  },
): Promise<string> {
  const { agentCapabilities, authMethods } = initialized.parse(
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        // Report a command's output and exit code as such. Agents for Zed do, and it lends them nothing.
        _meta: { terminal_output: true },
      },
      clientInfo: { name: "uncaged-workflow", version: "1" },
    }),
  );
  const method = authMethod(program, about);
  if (method !== null && authMethods.some(({ id }) => id === method)) {
    await agent.request(methods.agent.authenticate, { methodId: method });
  }
  const { cwd, session, isHeld, toolServer } = about;
  const isNamedHere = toolServer !== undefined && program.toolServerFlag === null;
  const request = {
    cwd,
    mcpServers: isNamedHere ? [{ ...toolServer, args: [...toolServer.args], env: [] }] : [],
    _meta: isHeld ? program.policyMeta : program.sessionMeta,
  };
  const opened =
    session === null
      ? await agent.request(methods.agent.session.new, request)
      : await load(agent, { ...request, sessionId: session }, agentCapabilities);
  const offered = choices.parse(opened ?? {});
  const sessionId = session ?? offered.sessionId;
  if (sessionId == null) throw new Error("it opened a session without a name");
  if (program.mode !== null) await setMode(agent, { sessionId, offered, mode: program.mode });
  if (program.model !== null) {
    await setOption(agent, { sessionId, offered, category: "model", value: program.model });
  }
  return sessionId;
}

function authMethod(
  { authMethod: chosen, auth }: AcpProgram,
  { env, login }: { env: Readonly<Record<string, string>>; login: boolean },
): string | null {
  const fits = auth.find(({ variable }) =>
    variable === null ? login : env[variable] !== undefined,
  );
  return chosen ?? fits?.method ?? null;
}

async function load(
  agent: ClientContext,
  request: LoadSessionRequest,
  { loadSession }: { loadSession: boolean },
): Promise<unknown> {
  if (!loadSession) throw new SessionLost("this version of it cannot resume a session");
  try {
    return await agent.request(methods.agent.session.load, request);
  } catch (thrown) {
    // Each agent reports an unknown session in its own way; a fresh one will show what else is wrong.
    throw new SessionLost(endOfFault(thrown).reason);
  }
}

async function setMode(
  agent: ClientContext,
  { sessionId, offered, mode }: { sessionId: string; offered: Choices; mode: string },
): Promise<void> {
  const { modes } = offered;
  if (modes?.currentModeId === mode) return;
  if (modes?.availableModes.some(({ id }) => id === mode)) {
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode });
    return;
  }
  await setOption(agent, { sessionId, offered, category: "mode", value: mode });
}

async function setOption(
  agent: ClientContext,
  wish: { sessionId: string; offered: Choices; category: "mode" | "model"; value: string },
): Promise<void> {
  const { sessionId, offered, category, value } = wish;
  const option = offered.configOptions?.find((each) => each.category === category);
  if (option === undefined) throw new Error(`it offers no ${category} ${value}`);
  if (option.currentValue === value) return;
  await agent.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: option.id,
    value,
  });
}
