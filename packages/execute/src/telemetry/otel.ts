/** OpenTelemetry's SDK, loaded only when telemetry is on. What cannot be sent is dropped: spans wait in a
 *  queue of bounded length, and nobody waits for a receiver. */
import { randomUUID } from "node:crypto";
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import {
  COUNTERS,
  GAUGES,
  type Gauged,
  HISTOGRAMS,
  type SpanSpec,
  type TelemetrySink,
} from "./telemetry-sink.ts";

const NAME = "uncaged-workflow";
const SENDS_WITHIN_MS = 5_000;
const FLUSHES_WITHIN_MS = 2_000;
const METRICS_EVERY_MS = 60_000;

/** `endpoint`: base URL of an OTLP/HTTP receiver; null: as the variables `OTEL_EXPORTER_OTLP_…` say. */
export function otelSink(endpoint: string | null, env: NodeJS.ProcessEnv): TelemetrySink {
  const to = (path: string) => ({
    timeoutMillis: SENDS_WITHIN_MS,
    ...(endpoint === null ? {} : { url: `${endpoint.replace(/\/+$/, "")}${path}` }),
  });
  const resource = resourceFromAttributes({
    "service.name": env.OTEL_SERVICE_NAME || NAME,
    // Each process counts from zero.
    "service.instance.id": randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const ids = { traceId: "", spanId: "" };
  const spans = new TracerProvider({
    resource,
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(to("/v1/traces")) })],
  });
  const everyMs = Number(env.OTEL_METRIC_EXPORT_INTERVAL) || METRICS_EVERY_MS;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(to("/v1/metrics")),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(SENDS_WITHIN_MS, everyMs),
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  const tracer = spans.getTracer(NAME);
  const meter = meters.getMeter(NAME);
  const counters = instruments(COUNTERS, (name, options) => meter.createCounter(name, options));
  const histograms = instruments(HISTOGRAMS, (name, options) =>
    meter.createHistogram(name, options),
  );
  return {
    span(spec) {
      Object.assign(ids, { traceId: spec.traceId, spanId: spec.spanId });
      const span = tracer.startSpan(
        spec.name,
        {
          kind: spec.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
          startTime: new Date(spec.startMs),
          attributes: spec.attributes,
          links: spec.links.map((spanId) => ({ context: placeIn(spec.traceId, spanId) })),
        },
        parentOf(spec),
      );
      if (spec.error !== null) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: spec.error });
        span.setAttribute("error.type", spec.error);
      }
      // A clock that was set back must not make a span end before it began.
      span.end(new Date(Math.max(spec.startMs, spec.endMs)));
    },
    count: (name, value, attributes) => counters[name].add(value, attributes),
    measure: (name, value, attributes) => histograms[name].record(value, attributes),
    gauge(look) {
      const gauges = instruments(GAUGES, (name, options) =>
        meter.createObservableGauge(name, options),
      );
      meter.addBatchObservableCallback(async (result) => {
        const found: readonly Gauged[] = await look().catch(() => []);
        for (const { name, value, attributes } of found)
          result.observe(gauges[name], value, attributes);
      }, Object.values(gauges));
    },
    async flush() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FLUSHES_WITHIN_MS);
      // A receiver that is down or slow loses what it was sent; nothing else does.
      const sent = Promise.allSettled([spans.forceFlush(), meters.forceFlush()]);
      await Promise.race([sent, late]);
      clearTimeout(timer);
    },
  };
}

function parentOf({ traceId, parentSpanId }: SpanSpec): Context {
  if (parentSpanId === null) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, placeIn(traceId, parentSpanId));
}

function placeIn(traceId: string, spanId: string) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

type Options = { unit: string; description: string };

function instruments<Names extends { readonly [name: string]: Options }, T>(
  named: Names,
  create: (name: string, options: Options) => T,
): Record<keyof Names, T> {
  const made = Object.entries(named).map(([name, options]) => [name, create(name, options)]);
  return Object.fromEntries(made) as Record<keyof Names, T>;
}
