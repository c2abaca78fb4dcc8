/** Restate: its server from npm, and a service whose handler calls `ctx.run` in a loop. The server as
 *  shipped: one node that flushes its log; a step is acknowledged before the next begins. */
import { createRequire } from "node:module";
import * as restate from "@restatedev/restate-sdk";
import { ANSWER } from "../../parts/answer.mjs";
import { freePorts } from "../free-ports.mjs";
import { startServer } from "../start-server.mjs";
import { versionOf } from "../version-of.mjs";

/** A thread waits while others have their turn; a handler that idles longer than this is suspended. */
const IDLE_MS = 3_600_000;

export async function openRestate(folder) {
  const [ingress, admin, node, port] = await freePorts(4);
  const server = await startServer({
    command: serverBinary(),
    args: ["--base-dir", folder, "--node-name", "bench", "--no-logo"],
    env: {
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error",
    },
    folder,
    isReady: () => answers(`http://127.0.0.1:${ingress}/restate/health`),
  });
  let current;
  await restate.serve({ services: [serviceOf(() => current)], port, logger() {} });
  await posted(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
  return {
    version: `${versionOf("@restatedev/restate-server")}, sdk ${versionOf("@restatedev/restate-sdk")}`,
    async thread(steps, between) {
      const { promise, resolve } = Promise.withResolvers();
      current = { between, ended: resolve };
      await posted(`http://127.0.0.1:${ingress}/bench/thread/send`, steps);
      await promise;
    },
    async fan(members) {
      const results = await posted(`http://127.0.0.1:${ingress}/bench/fan`, members);
      return results.map(({ step }) => step);
    },
    close: server.stop,
  };
}

function serviceOf(current) {
  return restate.service({
    name: "bench",
    options: { inactivityTimeout: IDLE_MS, abortTimeout: IDLE_MS },
    handlers: {
      async thread(ctx, steps) {
        const { between, ended } = current();
        for (let step = 1; step <= steps; step += 1) {
          await ctx.run("worker", async () => {
            await between();
            return { status: "going", step, content: `${step}: ${ANSWER}` };
          });
        }
        ended();
      },
      fan: (ctx, members) =>
        restate.RestatePromise.all(
          Array.from({ length: members }, (_, at) =>
            ctx.run("worker", () => ({ status: "going", step: at + 1, content: ANSWER })),
          ),
        ),
    },
  });
}

function serverBinary() {
  const near = createRequire(import.meta.resolve("@restatedev/restate-server/package.json"));
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return near.resolve(`${platform}/bin/restate-server`);
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function posted(url, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}
