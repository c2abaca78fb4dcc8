/** Gateway, this root's engine and the page in one process, for the person at this machine. */
import { spawn } from "node:child_process";
import { userInfo } from "node:os";
import { connectEngine, type Gateway, passingToken, startGateway } from "@uncaged/workflow-gateway";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { writeText } from "../command/write-text.ts";
import { gatewayFiles, served } from "./gateway-files.ts";
import { refusedInStep } from "./refused-in-step.ts";
import { withEngineApi } from "./serve-engine.ts";

/** Where it is unless that is taken: a page that was left open finds it again. */
const USUAL_PORT = 4747;
const CLIENT = "local";
const ALLOW = ["read", "run", "answer", "edit"] as const;

/** Runs until it is interrupted. With `--json`, the only document says where it is. */
export async function showDashboard(
  { port, open }: { port: number | null; open: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const refused = refusedInStep(io);
  if (refused !== null) return refused;
  const signal = io.interruption();
  const { token, row } = passingToken(
    { name: CLIENT, scopes: ["engine"], clients: [CLIENT] },
    io.now(),
  );
  const start = (at: number): ReturnType<typeof startGateway> =>
    startGateway({
      ...{ host: "127.0.0.1", port: at, publicOrigin: null, tls: null },
      files: gatewayFiles(io),
      extraTokens: [row],
      ...served(),
    });
  const usual = await start(port ?? USUAL_PORT);
  const gateway = usual.ok || port !== null ? usual : await start(0);
  if (!gateway.ok) return gateway;
  try {
    await withEngineApi(ALLOW, io, async (handler) => {
      const connected = Promise.withResolvers<void>();
      const { origin } = gateway.value;
      const done = connectEngine({
        ...{
          gateway: origin,
          token,
          name: CLIENT,
          version: cliVersion(),
          allow: ALLOW,
          handler,
          signal,
        },
        onState: ({ state }) => {
          if (state === "connected") connected.resolve();
        },
      });
      await Promise.race([connected.promise, done]);
      await tell(gateway.value, open, io);
      await done;
    });
  } finally {
    await gateway.value.close();
  }
  return ok({ streamed: true });
}

async function tell({ origin, newCode, port }: Gateway, open: boolean, io: Io): Promise<void> {
  const code = newCode({ who: userInfo().username, scopes: [...ALLOW], clients: null });
  const link = `${origin}/#code=${code}`;
  if (io.json) return writeText(io.stdout, `${JSON.stringify({ origin, port, link })}\n`);
  await writeText(
    io.stdout,
    `${link}\nThe link logs one browser in, within a minute. Call this again for another; Ctrl-C ends it.\n`,
  );
  if (open && io.stdout.isTerminal) openBrowser(link, io);
}

/** The link stands on the terminal as well: whatever fails here is no harm. */
function openBrowser(link: string, { env }: Pick<Io, "env">): void {
  const [program, ...args] =
    process.platform === "darwin"
      ? ["open", link]
      : process.platform === "win32"
        ? ["explorer.exe", link]
        : ["xdg-open", link];
  if (program === "xdg-open" && !env.DISPLAY && !env.WAYLAND_DISPLAY) return;
  if (program === undefined) return;
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
