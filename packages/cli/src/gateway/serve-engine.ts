/** Keeps an engine open and answers a gateway's calls with it. */
import { getRequestListener } from "@hono/node-server";
import type { EngineConnection } from "@uncaged/workflow-gateway";
import type { Scope } from "@uncaged/workflow-gateway/contract";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { engineApp } from "./engine-app.ts";
import { serverIo } from "./server-io.ts";
import { threadFeed } from "./thread-feed.ts";

/** Resolves once `use` has ended. */
export function withEngineApi<T>(
  allow: readonly Exclude<Scope, "engine">[],
  io: Io,
  use: (handler: EngineConnection["handler"]) => Promise<T>,
): Promise<T> {
  return withEngine(io, async (engine) => {
    const feed = threadFeed(engine);
    const app = engineApp({ io: serverIo(io, engine), engine, allow }, feed);
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    try {
      return await use((incoming, outgoing) => void listener(incoming, outgoing));
    } finally {
      feed.close();
    }
  });
}
