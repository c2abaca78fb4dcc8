/** Lets an engine in: a WebSocket at `/engine`, from a program, with a token for its name. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WORKFLOW_NAME_PATTERN } from "@uncaged/workflow-protocol";
import { WebSocketServer } from "ws";
import type { Scope } from "../contract/shapes.ts";
import { type Doors, identify } from "../gate/identify.ts";
import { judgeRequest, type Place } from "../gate/judge-request.ts";
import { type Refusal, refusal } from "../gate/refusal.ts";
import { MAX_MESSAGE_BYTES, SUBPROTOCOL } from "../tunnel/tunnel-limits.ts";
import { HEADERS_OF_ALL } from "./answer.ts";
import type { ClientRegistry, Newcomer } from "./client-registry.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ALLOWED = ["read", "run", "answer", "edit"] as const;

export type Admission = {
  /** Returns the status of the answer and who asked. */
  admit(
    incoming: IncomingMessage,
    socket: Duplex,
    rest: Buffer,
  ): { status: number; who: string | null };
  close(): void;
};

export function engineAdmission(
  place: Place,
  { doors, clients }: { doors: Doors; clients: ClientRegistry },
): Admission {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => SUBPROTOCOL,
  });
  return {
    admit(incoming, socket, rest) {
      socket.on("error", () => undefined);
      const asked = newcomerOf(incoming, place, doors);
      const decided = asked.ok && !clients.mayEnter(asked.newcomer) ? NAME_TAKEN : asked;
      if (!decided.ok) {
        refuse(socket, decided.refusal);
        return { status: decided.refusal.status, who: asked.ok ? asked.who : null };
      }
      server.handleUpgrade(incoming, socket, rest, (webSocket) => {
        clients.enter(decided.newcomer, webSocket);
      });
      return { status: 101, who: decided.who };
    },
    close: () => server.close(),
  };
}

type Asked = { ok: true; newcomer: Newcomer; who: string } | { ok: false; refusal: Refusal };

function newcomerOf(incoming: IncomingMessage, place: Place, doors: Doors): Asked {
  const { method = "", url = "", rawHeaders } = incoming;
  const judged = judgeRequest({ method, url, rawHeaders }, place);
  if (!judged.ok) return judged;
  const { headers, kind, query } = judged.request;
  if (kind !== "engine" || method !== "GET" || query !== "") return NOT_HERE;
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") return NOT_HERE;
  const offered = (headers.get("sec-websocket-protocol") ?? "").split(",");
  if (!offered.some((each) => each.trim() === SUBPROTOCOL)) return OTHER_VERSION;
  const identified = identify(judged.request, incoming.socket.remoteAddress ?? "", doors);
  if (!identified.ok) return identified;
  const { who, scopes, clients, tokenId } = identified.caller;
  if (!scopes.includes("engine") || tokenId === null) return NO_ENGINE;
  const instance = headers.get("x-uwf-instance") ?? "";
  if (!UUID.test(instance)) return OTHER_VERSION;
  const name = headers.get("x-uwf-name") ?? clients?.[0] ?? "";
  if (!WORKFLOW_NAME_PATTERN.test(name) || clients?.includes(name) !== true) return NOT_YOURS;
  const allowed = (headers.get("x-uwf-allow") ?? "").split(" ");
  const allow: Exclude<Scope, "engine">[] = ALLOWED.filter((each) => allowed.includes(each));
  const version = /^[\w.+-]{1,40}$/.exec(headers.get("x-uwf-version") ?? "")?.[0] ?? null;
  return { ok: true, who, newcomer: { name, instance, version, allow, tokenId } };
}

const NOT_HERE = refusal(404, "REQUEST_REFUSED", "nothing is upgraded here", "");
const OTHER_VERSION = refusal(
  400,
  "REQUEST_REFUSED",
  "the engine speaks another version of the protocol",
  "install the same release on both sides",
);
const NO_ENGINE = refusal(
  403,
  "ACCESS_DENIED",
  "the token is not an engine's",
  "make one with: uncaged-workflow gateway token add <name> --engine",
);
const NOT_YOURS = refusal(
  403,
  "ACCESS_DENIED",
  "the token is not for that name",
  "connect under the name that the token was made for",
);
const NAME_TAKEN = refusal(
  409,
  "CLIENT_NAME_TAKEN",
  "another engine is connected under that name",
  "end it, or connect with a token for another name",
);

function refuse(socket: Duplex, { status, ...error }: Refusal): void {
  const body = JSON.stringify({ error });
  const headers = Object.entries({
    ...HEADERS_OF_ALL,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${headers.join("")}\r\n${body}`, () =>
    socket.destroy(),
  );
}
