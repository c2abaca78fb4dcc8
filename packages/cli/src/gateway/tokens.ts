/** `gateway token …`: who may reach a gateway of this storage root. A running gateway takes changes at once. */
import {
  addToken,
  type IssuedToken,
  removeToken,
  rotateToken,
  tokenRows,
} from "@uncaged/workflow-gateway";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { renderTable } from "../terminal/render-table.ts";
import { ago, isoSeconds } from "../terminal/times.ts";
import type { Allowed } from "./allow-option.ts";
import { gatewayFiles } from "./gateway-files.ts";
import { refusedInStep } from "./refused-in-step.ts";

export function add(
  opts: { name: string; engine: boolean; scopes: readonly Allowed[]; clients: readonly string[] },
  io: Io,
): Result<Output, Failure> {
  const { name, engine, scopes, clients } = opts;
  const refused = refusedInStep(io);
  if (refused !== null) return refused;
  // An engine's token is for the engine of that name unless it says otherwise.
  const own = clients.length > 0 ? clients : engine ? [name] : null;
  return issued(
    addToken(
      gatewayFiles(io).tokens,
      { name, scopes: engine ? ["engine"] : scopes, clients: own },
      io.now(),
    ),
  );
}

export function rotate(name: string, io: Io): Result<Output, Failure> {
  const refused = refusedInStep(io);
  return refused ?? issued(rotateToken(gatewayFiles(io).tokens, name, io.now()));
}

export function remove(name: string, io: Io): Result<Output, Failure> {
  const removed = removeToken(gatewayFiles(io).tokens, name);
  if (!removed.ok) return removed;
  return ok({
    document: { name, removed: removed.value },
    human: () => `${name} is removed; what was open with it ends now`,
  });
}

export function list(io: Io): Result<Output, Failure> {
  const tokens = tokenRows(gatewayFiles(io).tokens, io.now());
  return ok({
    document: { tokens },
    human: (style) => {
      if (tokens.length === 0)
        return "no tokens; make one with: uncaged-workflow gateway token add <name>";
      return renderTable(
        tokens,
        [
          { title: "NAME", cell: ({ name }) => name },
          { title: "MAY", cell: ({ scopes }) => scopes.join(",") },
          { title: "ENGINES", cell: ({ clients }) => clients?.join(",") ?? "all" },
          { title: "MADE", cell: ({ createdAt }) => ago(createdAt, io.now()) },
          {
            title: "ENDS",
            cell: ({ expiresAt }) => (expiresAt === null ? "-" : isoSeconds(expiresAt)),
          },
        ],
        style.columns,
      );
    },
  });
}

/** The only time that the token is shown. */
function issued(result: Result<IssuedToken, Failure>): Result<Output, Failure> {
  if (!result.ok) return result;
  const { token, row } = result.value;
  const { id, name, scopes, clients } = row;
  return ok({
    document: { token, id, name, scopes, clients },
    human: ({ dim }) => `${token}\n${dim("It is not shown again: keep it like a password.")}`,
  });
}
