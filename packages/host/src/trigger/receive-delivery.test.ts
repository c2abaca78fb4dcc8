import { createHmac } from "node:crypto";
import { ok, type PlannedStart, type Trigger, type Triggers } from "@uncaged/workflow-protocol";
import { memoryTriggers } from "@uncaged/workflow-store";
import { beforeEach, describe, expect, it } from "vitest";
import { type Delivery, receiveDelivery } from "./receive-delivery.ts";
import { newSecret } from "./verify-delivery.ts";

const NOW = 1_700_000_000_000;
const SECRET = newSecret();
const BODY = { action: "opened", issue: { title: "It leaks", number: 7 } };

let triggers: Triggers;
let started: Map<string, PlannedStart>;
beforeEach(async () => {
  triggers = memoryTriggers();
  started = new Map();
  await triggers.add(hook("issues", "payload.action = 'opened'"), []);
});

function hook(name: string, filter: string | null): Trigger {
  const start = { workflow: "demo", cwd: "/", limits: null, title: null, priority: 0, labels: {} };
  const prompt = "{{ event }} {{ payload.issue.number }}: {{ payload.issue.title }}";
  return {
    ...{ name, createdAt: 1, pausedAt: null },
    plan: { source: { kind: "webhook", secret: SECRET, filter }, start: { ...start, prompt } },
  };
}

const bytes = (body: unknown): Buffer =>
  Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

function byGithub(body: unknown, more: Partial<Delivery["headers"]> = {}): Delivery {
  const signature = createHmac("sha256", SECRET).update(bytes(body)).digest("hex");
  const headers = {
    ...{ "x-github-delivery": "d-1", "x-github-event": "issues" },
    "x-hub-signature-256": `sha256=${signature}`,
    ...more,
  };
  return { trigger: "issues", headers, body: bytes(body) };
}

function standard(body: unknown, more: Partial<Delivery["headers"]> = {}): Delivery {
  const [id, timestamp] = ["msg_1", String(NOW / 1_000)];
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(bytes(body));
  const headers = {
    ...{ "webhook-id": id, "webhook-timestamp": timestamp },
    "webhook-signature": `v1,${signature.digest("base64")}`,
    ...more,
  };
  return { trigger: "issues", headers, body: bytes(body) };
}

const receive = (delivery: Delivery, nowMs = NOW): ReturnType<typeof receiveDelivery> =>
  receiveDelivery(
    {
      triggers,
      starter: {
        start: async (planned, key) => {
          started.set(key, started.get(key) ?? planned);
          return ok(`thread-${[...started.keys()].indexOf(key)}`);
        },
      },
      now: () => nowMs,
    },
    delivery,
  );

const refusal = async (delivery: Delivery, nowMs = NOW): Promise<string> => {
  const received = await receive(delivery, nowMs);
  return received.ok ? "" : received.error.code;
};

describe("a delivery", () => {
  it("of GitHub starts one thread, however often it is delivered", async () => {
    const first = await receive(byGithub(BODY));
    expect(first).toEqual({ ok: true, value: { kind: "started", threadId: "thread-0" } });
    expect(await receive(byGithub(BODY))).toEqual(first);
    expect(started.size).toBe(1);
    const [planned] = started.values();
    expect(planned).toMatchObject({ prompt: "issues 7: It leaks", labels: { trigger: "issues" } });
    await receive(byGithub(BODY, { "x-github-delivery": "d-2" }));
    expect(started.size).toBe(2);
  });

  it("in the standard form starts one, too, with any of several signatures", async () => {
    expect(await receive(standard(BODY))).toMatchObject({ ok: true, value: { kind: "started" } });
    const { headers } = standard(BODY);
    const two = `v1,bm90aGluZw== ${headers["webhook-signature"]}`;
    expect(await receive(standard(BODY, { "webhook-signature": two }))).toMatchObject({ ok: true });
    expect(started.size).toBe(1);
  });

  it("that does not pass the filter, or only asks whether anybody is there, starts nothing", async () => {
    for (const ignored of [
      byGithub({ ...BODY, action: "closed" }),
      byGithub({ zen: "ok" }, { "x-github-event": "ping" }),
    ])
      expect(await receive(ignored)).toEqual({ ok: true, value: { kind: "ignored" } });
    expect(started.size).toBe(0);
  });

  it("is refused unless its signature is of the secret and of these bytes", async () => {
    const signed = byGithub(BODY);
    const other = createHmac("sha256", "whsec_other").update(bytes(BODY)).digest("hex");
    const wrong: Delivery[] = [
      { ...signed, headers: {} },
      { ...signed, body: bytes({ ...BODY, action: "reopened" }) },
      byGithub(BODY, { "x-hub-signature-256": `sha256=${other}` }),
      byGithub(BODY, { "x-hub-signature-256": other }),
      byGithub(BODY, { "x-hub-signature-256": "" }),
      byGithub(BODY, { "x-hub-signature-256": "sha1=00" }),
      byGithub(BODY, { "x-github-delivery": undefined }),
      byGithub(BODY, { "x-github-delivery": "d".repeat(201) }),
      { ...standard(BODY), body: bytes("{}") },
      standard(BODY, { "webhook-id": "msg_2" }),
      standard(BODY, { "webhook-timestamp": String(NOW / 1_000 + 1) }),
      standard(BODY, { "webhook-timestamp": "soon" }),
      standard(BODY, { "webhook-signature": "v1," }),
      standard(BODY, { "webhook-signature": "" }),
      { ...signed, trigger: "nobody" },
    ];
    for (const delivery of wrong) expect(await refusal(delivery)).toBe("SIGNATURE_INVALID");
    expect(started.size).toBe(0);
  });

  it("in the standard form is good for five minutes", async () => {
    expect(await refusal(standard(BODY), NOW + 301_000)).toBe("SIGNATURE_INVALID");
    expect(await refusal(standard(BODY), NOW - 301_000)).toBe("SIGNATURE_INVALID");
    expect(await refusal(standard(BODY), NOW + 299_000)).toBe("");
  });

  it("of a folder's trigger is refused as one of nobody", async () => {
    const { start } = hook("", null).plan;
    const plan = { source: { kind: "watch", folder: "/in" }, start } as const;
    await triggers.add({ name: "folder", createdAt: 1, plan }, []);
    expect(await refusal({ ...byGithub(BODY), trigger: "folder" })).toBe("SIGNATURE_INVALID");
  });

  it("is refused when it is not a JSON object, too deep, too long or not UTF-8", async () => {
    const deep = `{"a":${"[".repeat(300)}${"]".repeat(300)}}`;
    for (const body of ["", "[]", "{", "payload=%7B%7D", deep, " ".repeat(1_048_577)])
      expect(await refusal(byGithub(body))).toBe("PAYLOAD_INVALID");
    const latin = Buffer.from([0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d]);
    const signature = createHmac("sha256", SECRET).update(latin).digest("hex");
    const delivery = byGithub({}, { "x-hub-signature-256": `sha256=${signature}` });
    expect(await refusal({ ...delivery, body: latin })).toBe("PAYLOAD_INVALID");
  });

  it("of a paused trigger is refused, so that it is delivered again", async () => {
    await triggers.pause({ name: "issues", nowMs: 5 });
    expect(await refusal(byGithub(BODY))).toBe("TRIGGER_PAUSED");
  });

  it("is data: what it says is not evaluated, and an expression that fails starts nothing", async () => {
    const nasty = { action: "opened", issue: { title: "{{ $keys(payload) }}", number: 1 } };
    await receive(byGithub(nasty));
    expect([...started.values()].map(({ prompt }) => prompt)).toEqual([
      "issues 1: {{ $keys(payload) }}",
    ]);
    const endless = "($f := function($x) { $f($x & 'x') & $f($x) }; $f('x') = payload.action)";
    await triggers.add(hook("endless", endless), []);
    expect(await refusal({ ...byGithub(BODY), trigger: "endless" })).toBe("TRIGGER_FAILED");
    expect(started.size).toBe(1);
  });
});

it("a secret has 256 bits, and no two are the same", () => {
  const [one, other] = [newSecret(), newSecret()];
  expect(one).not.toBe(other);
  expect(Buffer.from(one.slice("whsec_".length), "base64")).toHaveLength(32);
});
