/** What the page does with a gateway: it follows the link, asks, and watches. */
import {
  type Api,
  type CallOptions,
  type Connection,
  call,
  type EndpointName,
  type EngineEndpoint,
  followEvents,
  type ServerEvent,
} from "@uncaged/workflow-gateway/contract";
import { SCHEMAS, serverEventSchema } from "@uncaged/workflow-gateway/schemas";

/** What `dashboard` and `gateway` print. */
export type Up = { origin: string; port: number; link: string };

/** A page that followed the link. */
export async function loggedIn({ origin, link }: Up): Promise<Connection> {
  const code = link.slice(link.indexOf("#code=") + 6);
  const response = await fetch(`${origin}/api/gateway/login`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const { key } = JSON.parse(await response.text());
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { origin, headers: { origin, cookie, "x-uwf-key": key } };
}

/** A call that has to succeed, with an answer that is what the contract says. */
export async function ask<Name extends EngineEndpoint>(
  page: Connection,
  name: Name,
  given: Omit<CallOptions<Name>, "client">,
  client = "local",
): Promise<{ value: Api[Name]["response"]; etag: string | null }> {
  const loose = call as (
    page: Connection,
    name: EndpointName,
    given: object,
  ) => ReturnType<typeof call<Name>>;
  const answer = await loose(page, name, { client, ...given });
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  SCHEMAS[name].response.parse(answer.value.value);
  return answer.value;
}

/** Reads a thread's events until it has completed. */
export function watch(page: Connection, threadId: string, client = "local") {
  const end = new AbortController();
  const states: string[] = [];
  const seqs: number[] = [];
  const events: ServerEvent[] = [];
  const topics = ["threads", "inbox", `thread:${threadId}`];
  const onState = ({ state }: { state: string }): number => states.push(state);
  const watching = (async () => {
    const { signal } = end;
    for await (const event of followEvents(page, { client, topics, signal, onState })) {
      serverEventSchema.parse(event);
      events.push(event);
      if (event.type !== "live") continue;
      seqs.push(event.item.seq);
      if (event.item.type === "status" && event.item.status === "completed") end.abort();
    }
  })();
  return { states, seqs, events, watching };
}
