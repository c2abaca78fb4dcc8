/** Handles a webhook delivery, from its bytes to the thread. Nothing in it is trusted before its signature was checked,
 *  and after that it is only data.
 *
 *  1. The delivery's id is the start key: a repeated delivery finds the thread of the first one.
 *  2. An unknown name is answered like a wrong signature, in the same time. */

import { eventPasses, fillFromEvent } from "@uncaged/workflow-moderator";
import {
  err,
  type Failure,
  failure,
  type JsonObject,
  type JsonValue,
  ok,
  parseJson,
  type Result,
  type Trigger,
  type Triggers,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import type { ThreadStarter } from "../schedule/fire-schedules.ts";
import { type DeliveryHeaders, newSecret, verifyDelivery } from "./verify-delivery.ts";

export type Delivery = {
  /** The trigger's name. */
  trigger: string;
  headers: DeliveryHeaders;
  /** The body as received: the signature covers these bytes. */
  body: Uint8Array;
};

export type Received =
  | { kind: "started"; threadId: string }
  /** The delivery did not pass the filter, or is GitHub's `ping`. */
  | { kind: "ignored" };

const MAX_BYTES = 1_048_576;

export type ReceiveOptions = {
  triggers: Pick<Triggers, "get">;
  starter: Pick<ThreadStarter, "start">;
  /** Unix milliseconds. */
  now: () => number;
};

/** `SIGNATURE_INVALID`, `PAYLOAD_INVALID`, `TRIGGER_PAUSED`, `TRIGGER_FAILED`, or why no thread was started. */
export async function receiveDelivery(
  { triggers, starter, now }: ReceiveOptions,
  { trigger: name, headers, body }: Delivery,
): Promise<Result<Received, Failure>> {
  if (body.length > MAX_BYTES) return invalid(`has more than ${MAX_BYTES} bytes`);
  const trigger = await triggers.get(name);
  const source = trigger?.plan.source;
  const secret = source?.kind === "webhook" ? source.secret : newSecret();
  const delivery = verifyDelivery(secret, { headers, body }, now());
  if (!delivery.ok) return delivery;
  if (trigger === null || source?.kind !== "webhook") return invalid("is for nobody");
  if (trigger.pausedAt !== null) return err(paused(name));
  const { "x-github-event": event = null } = headers;
  if (event === "ping") return ok({ kind: "ignored" });
  const payload = payloadIn(body);
  if (payload === null) return invalid("is not a JSON object in UTF-8 of at most 200 levels");
  const key = `trigger ${name} ${trigger.createdAt} ${delivery.value}`;
  return startForPayload(starter, trigger, { payload, event, delivery: delivery.value, key });
}

/** Starts the thread for a trusted payload of a webhook trigger. */
export async function startForPayload(
  starter: Pick<ThreadStarter, "start">,
  { name, plan: { source, start } }: Trigger,
  given: { payload: JsonObject; event: string | null; delivery: string; key: string },
): Promise<Result<Received, Failure>> {
  const { payload, event, delivery, key } = given;
  const names: { [name: string]: JsonValue } = { payload, event, delivery };
  const filter = source.kind === "webhook" ? source.filter : null;
  const passes = filter === null ? ok(true) : await eventPasses(filter, names);
  if (!passes.ok) return passes;
  if (!passes.value) return ok({ kind: "ignored" });
  const prompt = await fillFromEvent(start.prompt, names);
  if (!prompt.ok) return prompt;
  const labels = { ...start.labels, trigger: name };
  const started = await starter.start({ ...start, prompt: prompt.value, labels }, key);
  return started.ok ? ok({ kind: "started", threadId: started.value }) : started;
}

/** null: it is none. */
export function payloadIn(body: Uint8Array): JsonObject | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return toJsonObject(parseJson(text));
  } catch {
    return null;
  }
}

function invalid(why: string): Result<never, Failure> {
  return err(
    failure(
      "PAYLOAD_INVALID",
      `the delivery ${why}`,
      "have the sender deliver JSON (application/json) of at most 1 MiB",
    ),
  );
}

function paused(name: string): Failure {
  return failure(
    "TRIGGER_PAUSED",
    `trigger ${name} is paused`,
    `continue with: uncaged-workflow trigger resume ${name}; deliver it again then`,
  );
}
