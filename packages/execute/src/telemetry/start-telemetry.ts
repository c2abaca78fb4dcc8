/** Reports what the threads of this process do, if that is configured by `OTEL_EXPORTER_OTLP_ENDPOINT` or
 *  `config.telemetry`. Otherwise nothing is loaded, and nothing is done differently. */
import { type ThreadRecord, type Wait, waitsOf } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { redactor } from "@uncaged/workflow-util";
import { readNode } from "../chain/read-node.ts";
import type { Engine } from "../storage/engine.ts";
import { observedEngine } from "./observed-engine.ts";
import type { Gauged, TelemetrySink } from "./telemetry-sink.ts";

export type Telemetry = {
  /** The engine to run threads with, so that they are seen. */
  engine: Engine;
  /** How many threads there are, and in which status: for the one process that speaks for the whole root. */
  watchThreads(): void;
  /** Sends what happened so far; takes two seconds at most. */
  flush(): Promise<void>;
};

/** Without telemetry it returns the engine as it is, and does nothing. A configuration that cannot be read is reported
 *  by what needs it; telemetry that cannot be set up is off, and `say` is told why. */
export async function startTelemetry(
  engine: Engine,
  { env, say }: { env: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<Telemetry> {
  const settings = await readSettings(engine.root);
  const configured = settings.ok ? settings.value.telemetry : null;
  const named =
    env.OTEL_EXPORTER_OTLP_ENDPOINT ||
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ||
    env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === "true";
  const endpoint = named ? null : (configured?.endpoint ?? null);
  if (isOff || (!named && endpoint === null)) return silent(engine);
  try {
    const { otelSink } = await import("./otel.ts");
    return telling(engine, otelSink(endpoint, env), { content: configured?.content ?? false, env });
  } catch (cause) {
    say(`telemetry is off: ${cause instanceof Error ? cause.message : String(cause)}`);
    return silent(engine);
  }
}

function silent(engine: Engine): Telemetry {
  return { engine, watchThreads: () => undefined, flush: async () => undefined };
}

/** `content`: whether prompts, answers and calls are reported, too. */
function telling(
  engine: Engine,
  sink: TelemetrySink,
  { content, env }: { content: boolean; env: NodeJS.ProcessEnv },
): Telemetry {
  const redact = content ? redactor({ env }) : null;
  const { cas } = engine;
  const text = async (hash: string): Promise<string> =>
    (await readNode(cas, hash, "content")).payload;
  const observed = observedEngine(engine, sink, {
    input: redact === null ? null : (call) => redact(JSON.stringify(call)),
    words:
      redact === null
        ? null
        : async ({ prompt, content: said }) => ({
            ...(prompt == null ? {} : { "gen_ai.input.messages": redact(await text(prompt)) }),
            "gen_ai.output.messages": redact(await text(said)),
          }),
  });
  return {
    engine: observed.engine,
    // Each minute: a root may have any number of finished threads.
    watchThreads: () =>
      sink.gauge(async () => {
        const asked = (await engine.store.asks({})).map(({ wait }) => wait);
        return gaugesOf(await engine.store.list({ unfinished: true }), asked, engine.now());
      }),
    flush: async () => {
      await observed.settled();
      await sink.flush();
    },
  };
}

/** `asked`: what people are asked while their threads run. */
function gaugesOf(
  threads: readonly ThreadRecord[],
  asked: readonly Wait[],
  nowMs: number,
): Gauged[] {
  const byStatus = Map.groupBy(threads, ({ status }) => status);
  const gauges = [...byStatus].flatMap(([status, each]): Gauged[] => {
    const attributes = { "uncaged.status": status };
    const oldest = Math.min(...each.map(({ updatedAt }) => updatedAt));
    const age = Math.max(0, nowMs - oldest) / 1_000;
    return [
      { name: "uncaged.threads", value: each.length, attributes },
      { name: "uncaged.threads.oldest", value: age, attributes },
    ];
  });
  const waits = Map.groupBy(
    [...threads.flatMap(waitsOf), ...asked],
    (wait) => wait.kind ?? "answer",
  );
  return [
    ...gauges,
    ...[...waits].map(
      ([kind, each]): Gauged => ({
        name: "uncaged.waits",
        value: each.length,
        attributes: { "uncaged.wait": kind },
      }),
    ),
  ];
}
