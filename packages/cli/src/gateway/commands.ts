import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { Command, Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import {
  countOption,
  type Given,
  negatedOption,
  optionalArgument,
  repeatedOption,
  switchOption,
  textOption,
  usageError,
} from "../command/options.ts";
import { allowOption } from "./allow-option.ts";

const DEFAULT_ALLOW = ["read", "run", "answer"] as const;

const name = textOption("--name <name>", "the engine's name there (default: that of the token)");
const gatewayAt = textOption(
  "--gateway <url>",
  "address of the gateway (default: that of the variable UNCAGED_GATEWAY)",
);

export const connect: Command = {
  description:
    "Connect this engine to a gateway until Ctrl-C; its token is in the variable UNCAGED_GATEWAY_TOKEN.",
  arguments: [],
  options: [name, gatewayAt, allowOption],
  example: "--gateway https://flows.example.com --allow read,run",
  run: async (given, io) =>
    (await import("./connect.ts")).connect(
      {
        name: given(name),
        gateway: given(gatewayAt),
        allow: given(allowOption) ?? DEFAULT_ALLOW,
      },
      io,
    ),
};

const port = countOption(
  "--port <n>",
  "port to listen on; 0: any that is free (default: 4747, or any)",
  {
    atLeast: 0,
  },
);
const noOpen = negatedOption("--no-open", "do not open a browser");

export const dashboard: Command = {
  description: "Show the page with this root's threads and workflows, until Ctrl-C.",
  arguments: [],
  options: [port, noOpen],
  example: "--no-open",
  run: async (given, io) =>
    (await import("./dashboard.ts")).showDashboard({ port: given(port), open: !given(noOpen) }, io),
};

const TOKEN_VERBS = ["add", "list", "rm", "rotate"] as const;
const what = optionalArgument("token", "the word token, to manage who may reach the gateway");
const verb = optionalArgument("action", "of a token: add, list, rm or rotate");
const tokenName = optionalArgument("name", "the token's name");
const host = textOption("--host <address>", "address to listen on (default: 127.0.0.1)");
const gatewayPort = countOption(
  "--port <n>",
  "port to listen on; 0: any that is free (default: 4748)",
  { atLeast: 0 },
);
const publicOrigin = textOption(
  "--public-origin <url>",
  "how browsers name it, such as https://flows.example.com; needed beyond this machine",
);
const tlsCert = textOption("--tls-cert <file>", "its own certificate, PEM");
const tlsKey = textOption("--tls-key <file>", "the key of the certificate, PEM");
const engine = switchOption("--engine", "of a token: it connects the engine of that name");
const client = repeatedOption("--client <name>", "of a token: only for this engine (default: all)");

export const gateway: Command = {
  description:
    "Run a gateway for engines of other machines until Ctrl-C, or manage the tokens that reach it.",
  arguments: [what, verb, tokenName],
  options: [host, gatewayPort, publicOrigin, tlsCert, tlsKey, engine, client, allowOption],
  example: "token add laptop --engine",
  run: async (given, io) => {
    if (given(what) !== null) return tokens(given, io);
    const { runGateway } = await import("./run-gateway.ts");
    return runGateway(
      {
        host: given(host) ?? "127.0.0.1",
        port: given(gatewayPort) ?? 4748,
        publicOrigin: given(publicOrigin),
        tlsCert: given(tlsCert),
        tlsKey: given(tlsKey),
      },
      io,
    );
  },
};

async function tokens(given: Given, io: Io): Promise<Result<Output, Failure>> {
  const [word, action, called] = [given(what), given(verb), given(tokenName)];
  const chosen = TOKEN_VERBS.find((each) => each === action);
  if (word !== "token" || chosen === undefined)
    throw usageError(
      `${JSON.stringify([word, action].filter((each) => each !== null).join(" "))} is not known`,
      "call: uncaged-workflow gateway token add|list|rm|rotate",
    );
  const { add, list, remove, rotate } = await import("./tokens.ts");
  if (chosen === "list") return list(io);
  if (called === null) throw usageError("the token has no name", "give it behind the action");
  if (chosen === "rm") return remove(called, io);
  if (chosen === "rotate") return rotate(called, io);
  const scopes = given(allowOption) ?? DEFAULT_ALLOW;
  return add({ name: called, engine: given(engine), scopes, clients: given(client) }, io);
}
