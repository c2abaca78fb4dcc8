/** A receiver of OTLP over HTTP, as a collector is one: it decodes what it gets, and keeps it. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type KeyValue = { key: string; value: Value & { arrayValue?: { values: Value[] } } };
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number; message?: string };
};
type ReceivedPoint = { metric: string; value: number; attributes: Record<string, unknown> };

export type Receiver = {
  endpoint: string;
  spans: ReceivedSpan[];
  points: ReceivedPoint[];
  /** Waits for what it has to get. */
  until(holds: (receiver: Receiver) => boolean): Promise<void>;
  close(): Promise<void>;
};

/** `answers`: a receiver that does not takes everything and says nothing. */
export async function openReceiver(answers = true): Promise<Receiver> {
  const server: Server = createServer(async (request, response) => {
    const document = JSON.parse((await bodyOf(request)).toString("utf8"));
    if (request.url === "/v1/traces") receiver.spans.push(...spansIn(document));
    else if (request.url === "/v1/metrics") receiver.points.push(...pointsIn(document));
    if (answers) response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  const receiver: Receiver = {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans: [],
    points: [],
    async until(holds) {
      while (!holds(receiver)) await sleep(20);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}

// biome-ignore lint/suspicious/noExplicitAny: the document of a wire format, in a test.
function spansIn(document: any): ReceivedSpan[] {
  const spans: ReceivedSpan[] = [];
  for (const { scopeSpans } of document.resourceSpans)
    for (const scope of scopeSpans)
      for (const span of scope.spans)
        spans.push({
          ...span,
          attributes: attributesOf(span.attributes),
          links: span.links ?? [],
          status: span.status ?? {},
        });
  return spans;
}

// biome-ignore lint/suspicious/noExplicitAny: the document of a wire format, in a test.
function pointsIn(document: any): ReceivedPoint[] {
  const points: ReceivedPoint[] = [];
  for (const { scopeMetrics } of document.resourceMetrics)
    for (const scope of scopeMetrics)
      for (const { name, sum, gauge, histogram } of scope.metrics)
        for (const point of (sum ?? gauge ?? histogram).dataPoints)
          points.push({
            metric: name,
            value: Number(point.asDouble ?? point.asInt ?? point.sum),
            attributes: attributesOf(point.attributes),
          });
  return points;
}

function attributesOf(pairs: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: KeyValue["value"]): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}
