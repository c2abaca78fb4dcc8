/** The built command behind a gateway: the page's own way to an engine, from the link to the last event. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { type Connection, call } from "@uncaged/workflow-gateway/contract";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { ask, loggedIn, type Up, watch } from "./gateway.test.helper.ts";
import { openProxy } from "./proxy.test.helper.ts";
import { CERTIFICATE, KEY } from "./self-signed.test.helper.ts";
import { ended, type Staying, staying } from "./staying.test.helper.ts";
import { rests, untilThread } from "./until-thread.test.helper.ts";

let cli: Cli;
let processes: Staying;
beforeAll(async () => {
  cli = openCli();
  processes = staying(cli);
  await cli.addSteps("steps");
});
afterEach(() => processes.end());
afterAll(() => cli.close());

const stays: Staying["start"] = (args, env) => processes.start(args, env);

const TLS = { ca: CERTIFICATE, agent: false } as const;

async function answered(sent: ClientRequest, body?: string): Promise<IncomingMessage> {
  sent.end(body);
  const [answer]: IncomingMessage[] = await once(sent, "response");
  if (answer === undefined) throw new Error("there is no answer");
  return answer.resume();
}

/** A reader that lost its stream tries again within two seconds or so. */
const WAIT = { timeout: 20_000, interval: 20 };

const prompt = (plan: object): string => JSON.stringify(plan);

describe("the dashboard", () => {
  it("lists, runs, watches, answers, pauses, resumes, kills, forks, pokes and compares threads", async () => {
    const { first } = await stays<Up>(["dashboard", "--no-open"]);
    expect(first.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    const page = await loggedIn(first);

    const { value: about } = await ask(page, "about", {});
    expect(about.allow).toEqual(["read", "run", "answer", "edit"]);
    const { value: listed } = await ask(page, "listWorkflows", {});
    expect(listed.workflows.map(({ name }) => name)).toEqual(["steps"]);
    const { value: workflow } = await ask(page, "showWorkflow", { path: { name: "steps" } });
    expect(Object.keys(workflow.descriptor.roles)).toEqual(["worker", "checker"]);

    // The same key starts one thread.
    const start = { workflow: "steps", prompt: prompt({ steps: 3, suspendAt: 2 }), title: "first" };
    const starts = await Promise.all(
      [1, 2].map(() => ask(page, "startThread", { body: start, idempotencyKey: "k" })),
    );
    const [id = "", again] = starts.map(({ value }) => value.threadId);
    expect(again).toBe(id);
    await untilThread(cli.root, id, ({ status }) => status === "suspended");
    const { value: inbox } = await ask(page, "inbox", {});
    expect(inbox.threads.map(({ threadId }) => threadId)).toEqual([id]);

    const { value: head, etag } = await ask(page, "showThread", { path: { id } });
    expect(head).toMatchObject({ threadId: id, title: "first", stepCount: 2, status: "suspended" });
    expect(etag).toBe(head.head);
    const { value: index } = await ask(page, "threadIndex", { path: { id } });
    expect(index.columns.role).toEqual(["worker", "worker"]);
    const { value: step } = await ask(page, "showStep", { path: { id, n: "2" } });
    expect(step.step).toMatchObject({
      round: 2,
      content: "step 2",
      stateHash: index.columns.stateHash[1],
    });
    const shown = await cli.here<{ steps: unknown[] }>(["thread", "show", id]);
    expect(step.step).toEqual(shown.steps[1]);
    await ask(page, "stepEvidence", { path: { id, n: "1" } });
    const text = await ask(page, "blob", {
      path: { hash: step.step.contentHash },
      query: { payload: "1" },
    });
    expect(text.value).toBe("step 2");

    // Somebody who saw an older head changes nothing.
    const late = await call(page, "killThread", {
      client: "local",
      path: { id },
      ifMatch: index.columns.stateHash[0] ?? "",
    });
    expect(late).toMatchObject({ ok: false, error: { status: 412, code: "CHANGED_MEANWHILE" } });
    await ask(page, "resumeThread", { path: { id }, body: { answer: "yes" }, ifMatch: head.head });
    await untilThread(cli.root, id, ({ status }) => status === "completed");

    const fork = { path: { id }, body: { from: { step: 1 }, run: "idle" as const } };
    const { value: forked } = await ask(page, "forkThread", { ...fork, idempotencyKey: "f" });
    const { value: same } = await ask(page, "forkThread", { ...fork, idempotencyKey: "f" });
    expect(same).toEqual(forked);
    const { value: diff } = await ask(page, "diffThreads", { path: { a: id, b: forked.threadId } });
    expect(diff).toMatchObject({ partsAt: 2, rounds: [{ relation: "shared" }, {}, {}, {}] });
    const { value: poked } = await ask(page, "pokeThread", {
      path: { id: forked.threadId },
      body: { prompt: "once more" },
    });
    expect(poked.previousHead).toBe(forked.head);
    await untilThread(cli.root, forked.threadId, (now) => now.head !== forked.head && rests(now));
    const { value: undone } = await ask(page, "undoPoke", { path: { id: forked.threadId } });
    expect(undone.head).toBe(forked.head);

    const { value: endless } = await ask(page, "startThread", {
      body: { workflow: "steps", prompt: prompt({ steps: 1, gate: "never" }) },
    });
    const { threadId } = endless;
    const { value: pausing } = await ask(page, "pauseThread", { path: { id: threadId } });
    expect(pausing).toMatchObject({ threadId, pausing: true });
    const { value: killed } = await ask(page, "steerThreads", {
      body: { verb: "kill", threadIds: [threadId, id, "ZZZZ"] },
    });
    expect(killed.threads).toMatchObject([
      { threadId, status: "aborted" },
      { threadId: id, error: { code: "TRANSITION_INVALID" } },
      { threadId: "ZZZZ", error: { code: "THREAD_NOT_FOUND" } },
    ]);

    // Page by page, newest first, each once.
    const seen: string[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const query: { limit: string; after?: string } =
        after === "" ? { limit: "1" } : { limit: "1", after };
      const { value } = await ask(page, "listThreads", { query });
      seen.push(...value.threads.map((row) => row.threadId));
      after = value.next;
    }
    const { threads } = await cli.here<{ threads: { threadId: string }[] }>(["thread", "list"]);
    expect(seen).toEqual(threads.map((row) => row.threadId));
    const { value: done } = await ask(page, "listThreads", { query: { status: "completed" } });
    expect(done.threads.map((row) => row.threadId)).toEqual([id]);
    for (const name of [
      "costs",
      "queue",
      "listWorkers",
      "listTasks",
      "listSchedules",
      "listTriggers",
      "listAgents",
    ] as const)
      await ask(page, name, {});
  });

  it("takes a text of any kind up to 64 MiB as a blob, and nothing that is not text", async () => {
    const { first } = await stays<Up>(["dashboard", "--no-open"]);
    const page = await loggedIn(first);
    const report = `\ufeff- of "Größe"\0\n${"line\n".repeat(800_000)}`;
    const { value, etag } = await ask(page, "putBlob", { body: report });
    expect(etag).toBe(value.hash);
    const kept = await ask(page, "blob", { path: value, query: { payload: "1" } });
    expect(kept.value === report).toBe(true);
    const send = async (body: Uint8Array<ArrayBuffer>, type: string): Promise<number> => {
      const headers = { ...page.headers, "content-type": type };
      const url = `${first.origin}/api/c/local/cas`;
      return (await fetch(url, { method: "POST", headers, body })).status;
    };
    const octets = "application/octet-stream";
    expect(await send(Buffer.from([0xff, 0xfe]), octets)).toBe(400);
    expect(await send(Buffer.from("{}"), "application/json")).toBe(415);
    expect(await send(Buffer.alloc(64 * 1024 * 1024 + 1, "x"), octets)).toBe(413);
  });

  it("teaches: checks a text with places in it, tries it with stubs, and publishes it as a version", async () => {
    const { first } = await stays<Up>(["dashboard", "--no-open"]);
    const page = await loggedIn(first);
    const yaml = `description: A person approves.
roles:
  approver:
    by: person
    goal: Decide.
    output:
      type: object
      properties: { status: { enum: [approved, changes] } }
      required: [status]
graph:
  $START: { new: { role: approver, prompt: Please decide. } }
  approver: { approved: { role: $END }, changes: { role: approver, prompt: Again. } }
`;
    const wrong = yaml.replace("by: person", "bye: person");
    const { value: faulty } = await ask(page, "checkWorkflow", { body: { yaml: wrong } });
    expect(faulty.ok).toBe(false);
    expect(
      faulty.faults.some(
        ({ span }) => span?.line === 4 && wrong.slice(span.start).startsWith("bye"),
      ),
    ).toBe(true);
    const { value: sound } = await ask(page, "checkWorkflow", { body: { yaml } });
    expect(sound.faults.filter(({ level }) => level === "fault")).toEqual([]);
    const { value: tried } = await ask(page, "dryRun", {
      body: { yaml, stubs: { approver: [{ status: "changes" }, { status: "approved" }] } },
    });
    expect(tried).toMatchObject({ ok: true, end: { kind: "ended" } });
    const { value: made } = await ask(page, "publishWorkflow", {
      path: { name: "approve" },
      body: { yaml },
    });
    expect(made).toMatchObject({ name: "approve", hash: sound.hash, previous: null });
    const { value: kept } = await ask(page, "workflowText", { path: { name: "approve" } });
    expect(kept).toEqual({ name: "approve", hash: made.hash, yaml });
    const { value: code } = await ask(page, "workflowText", { path: { name: "steps" } });
    expect(code.yaml).toBeNull();
    const late = await call(page, "publishWorkflow", {
      ...{ client: "local", path: { name: "approve" }, body: { yaml } },
      ifMatch: "0000000000000",
    });
    expect(late).toMatchObject({ ok: false, error: { status: 412, code: "CHANGED_MEANWHILE" } });
    // Two people save at once, each on top of what both have seen.
    const both = await Promise.all(
      ["Now.", "Soon."].map((goal) =>
        call(page, "publishWorkflow", {
          ...{ client: "local", path: { name: "approve" } },
          body: { yaml: yaml.replace("Decide.", goal) },
          ifMatch: made.hash,
        }),
      ),
    );
    expect(both.filter(({ ok }) => ok).length).toBe(1);
    expect(both.find(({ ok }) => !ok)).toMatchObject({ error: { status: 412 } });

    const { value: started } = await ask(page, "startThread", {
      body: { workflow: "approve", prompt: "A draft" },
    });
    const { threadId: id } = started;
    await untilThread(cli.root, id, ({ status }) => status === "suspended");
    const bad = await call(page, "answerThread", {
      ...{ client: "local", path: { id }, body: { meta: { status: "perhaps" } } },
    });
    expect(bad).toMatchObject({ ok: false, error: { code: "ANSWER_INVALID" } });
    await ask(page, "answerThread", { path: { id }, body: { meta: { status: "approved" } } });
    await untilThread(cli.root, id, ({ status }) => status === "completed");
  });

  it("lets no step open a way to its own engine, and gives a link that works once", async () => {
    const env = { [PROCESS_TAG_ENV]: "01J00000000000000000000000:1" };
    for (const args of [["dashboard"], ["gateway"], ["gateway", "token", "add", "me"], ["connect"]])
      expect(await cli.fails(args, { env })).toMatchObject({ exit: 1, code: "ACCESS_DENIED" });
    const { first } = await stays<Up>(["dashboard", "--no-open"]);
    await loggedIn(first);
    await expect(loggedIn(first).then((page) => ask(page, "about", {}))).rejects.toThrow("401");
    expect(statSync(join(cli.root, "gateway", "sessions.json")).mode & 0o077).toBe(0);
  });
});

describe("live events", () => {
  it("go on by themselves when engine and gateway are killed, with nothing lost and nothing twice", async () => {
    const { first, child } = await stays<Up>(["dashboard", "--no-open"]);
    const page = await loggedIn(first);
    const { value } = await ask(page, "startThread", {
      body: { workflow: "steps", prompt: prompt({ steps: 4, gate: "open" }) },
    });
    const { threadId } = value;
    const { states, seqs, events, watching } = watch(page, threadId);
    const open = (n: number): void => writeFileSync(join(cli.dir, `open-${n}`), "");
    await expect.poll(() => events, { timeout: 30_000 }).toContainEqual({ type: "ready" });
    open(1);
    await untilThread(cli.root, threadId, ({ stepCount }) => stepCount === 1);
    await vi.waitFor(() => expect(states).toContain("open"), WAIT);
    await ended(child, "SIGKILL");
    open(2);
    await untilThread(cli.root, threadId, ({ stepCount }) => stepCount === 2);
    // The same port again: the page is where it was, and its session still holds.
    await stays<Up>(["dashboard", "--no-open", "--port", String(first.port)]);
    open(3);
    open(4);
    await watching;
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => (seqs[0] ?? 0) + at));
    expect(states).toContain("waiting");
    expect(states.filter((state) => state === "open").length).toBeGreaterThanOrEqual(2);
    // The list was told what changed, or that it has missed something.
    const ofList = events.filter((event) => "topic" in event && event.topic === "threads");
    expect(ofList.length).toBeGreaterThan(0);
  });

  it("go on when the engine's process, the gateway's, or both are killed, each a few times", async () => {
    const add = (...args: string[]) =>
      cli.json<{ token: string }>(["gateway", "token", "add", ...args]);
    const { token: engine } = await add("apart", "--engine");
    const { token: person } = await add("eve", "--allow", "read,run", "--client", "apart");
    let gateway = await stays<Up>(["gateway", "--port", "0"]);
    const { origin, port } = gateway.first;
    const restart = () => stays<Up>(["gateway", "--port", String(port)]);
    const connect = () =>
      stays(["connect", "--gateway", origin], { UNCAGED_GATEWAY_TOKEN: engine });
    let engineUp = await connect();
    const page: Connection = { origin, headers: { origin, authorization: `Bearer ${person}` } };
    const isUp = async (): Promise<boolean> =>
      (await call(page, "about", { client: "apart" }).catch(() => ({ ok: false }))).ok;
    await expect.poll(isUp, WAIT).toBe(true);

    const STEPS = 7;
    const plan = prompt({ steps: STEPS, gate: "apart", talk: 300 });
    const { value } = await ask(
      page,
      "startThread",
      { body: { workflow: "steps", prompt: plan } },
      "apart",
    );
    const { threadId } = value;
    const { seqs, states, events, watching } = watch(page, threadId, "apart");
    // Who has heard nothing yet has no place to go on from.
    await expect.poll(() => events, WAIT).toContainEqual({ type: "ready" });
    for (let step = 1; step <= STEPS; step += 1) {
      await expect.poll(isUp, WAIT).toBe(true);
      await vi.waitFor(() => expect(states.at(-1)).toBe("open"), WAIT);
      // Many words are under way when a process dies.
      writeFileSync(join(cli.dir, `apart-${step}`), "");
      if (step % 3 !== 1) {
        await ended(engineUp.child, "SIGKILL");
        engineUp = await connect();
      }
      if (step % 3 !== 2) {
        await ended(gateway.child, "SIGKILL");
        gateway = await restart();
      }
    }
    await watching;
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => (seqs[0] ?? 0) + at));
    expect(seqs.length).toBeGreaterThan(STEPS * 300);
    // Who was not killed lives: the other end's death is no reason to die.
    for (const { child } of [engineUp, gateway])
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    const { value: index } = await ask(page, "threadIndex", { path: { id: threadId } }, "apart");
    expect(index.columns.role).toEqual([...Array(STEPS).fill("worker"), "checker"]);
    for (const name of ["apart", "eve"]) await cli.json(["gateway", "token", "rm", name]);
  });
});

describe("a gateway of its own", () => {
  it("has engines of other machines, people with tokens, and webhooks", async () => {
    const add = (...args: string[]) =>
      cli.json<{ token: string }>(["gateway", "token", "add", ...args]);
    const { token: engine } = await add("laptop", "--engine");
    const { token: person } = await add("ada", "--allow", "read,run", "--client", "laptop");
    expect(await cli.fails(["gateway", "token", "add", "ada"])).toMatchObject({
      code: "TARGET_EXISTS",
    });
    const listed = await cli.json<{ tokens: { name: string }[] }>(["gateway", "token", "list"]);
    expect(listed.tokens.map(({ name }) => name)).toEqual(["laptop", "ada"]);
    expect(JSON.stringify(listed)).not.toContain("uwf_");

    const up = await stays<Up>(["gateway", "--port", "0"]);
    const { origin } = up.first;
    const refused = await cli.run(["--json", "connect", "--gateway", origin], {
      env: { UNCAGED_GATEWAY_TOKEN: person },
    });
    expect({ code: refused.code, ...JSON.parse(refused.stderr) }).toMatchObject({
      code: 1,
      error: { code: "ACCESS_DENIED" },
    });
    const connected = await stays(["connect", "--gateway", origin, "--allow", "read,run"], {
      UNCAGED_GATEWAY_TOKEN: engine,
    });
    const { value: said } = await up.lines.next();
    expect(JSON.parse(said ?? "")).toEqual({ client: "laptop", state: "connected" });

    const page: Connection = { origin, headers: { origin, authorization: `Bearer ${person}` } };
    const clients = await call(page, "listClients");
    expect(clients).toMatchObject({
      value: {
        value: { clients: [{ name: "laptop", state: "connected", scopes: ["read", "run"] }] },
      },
    });
    const edit = await call(page, "checkWorkflow", { client: "laptop", body: { yaml: "" } });
    expect(edit).toMatchObject({ ok: false, error: { status: 403 } });

    const made = await cli.json<{ secret: string }>([
      ...["trigger", "add", "push", "--webhook", "--workflow", "steps", "--prompt", '{"steps":1}'],
    ]);
    const body = JSON.stringify({ action: "opened" });
    const deliver = (secret: string): Promise<Response> =>
      fetch(`${origin}/hooks/laptop/push`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-github-delivery": "1",
          "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
        },
        body,
      });
    expect((await deliver("wrong")).status).toBe(401);
    const started = await deliver(made.secret);
    expect(started.status).toBe(202);
    const { threadId } = JSON.parse(await started.text());
    expect(JSON.parse(await (await deliver(made.secret)).text()).threadId).toBe(threadId);
    await untilThread(cli.root, threadId, ({ status }) => status === "completed");

    await cli.json(["gateway", "token", "rm", "laptop"]);
    const [code] = await once(connected.child, "exit");
    expect(code).toBe(1);
    expect(existsSync(join(cli.root, "gateway", "audit.ndjson"))).toBe(true);
  });

  it("with a certificate speaks to engines and callers by TLS alone, and its cookie goes no other way", async () => {
    const [cert, key] = [join(cli.dir, "cert.pem"), join(cli.dir, "key.pem")];
    writeFileSync(cert, CERTIFICATE);
    writeFileSync(key, KEY);
    const add = (...args: string[]) =>
      cli.json<{ token: string }>(["gateway", "token", "add", ...args]);
    const { token: engine } = await add("safe", "--engine");
    const { token: person } = await add("mary", "--client", "safe");
    const tls = ["--tls-cert", cert, "--tls-key", key];
    const gateway = await stays<Up>(["gateway", "--port", "0", ...tls]);
    const { origin, port } = gateway.first;
    expect(origin).toBe(`https://127.0.0.1:${port}`);
    const env = { UNCAGED_GATEWAY_TOKEN: engine, NODE_EXTRA_CA_CERTS: cert };
    await stays(["connect", "--gateway", origin], env);
    expect(JSON.parse((await gateway.lines.next()).value)).toMatchObject({ state: "connected" });

    const as = { authorization: `Bearer ${person}` };
    const answer = await answered(request(`${origin}/api/c/safe/about`, { ...TLS, headers: as }));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");

    const json = { origin, "content-type": "application/json" };
    const bought = await answered(
      request(`${origin}/api/gateway/login`, { ...TLS, method: "POST", headers: json }),
      JSON.stringify({ token: person }),
    );
    expect(bought.headers["set-cookie"]?.[0]).toMatch(
      /^__Host-uwf=.*; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/,
    );
    // A certificate that nobody vouches for, and a caller without one.
    await expect(fetch(`${origin}/`)).rejects.toThrow();
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it("behind a proxy that has the certificate serves the page, its log-in, engines and events, and believes no forwarded header", async () => {
    const proxy = await openProxy();
    try {
      const cert = join(cli.dir, "proxy.pem");
      writeFileSync(cert, CERTIFICATE);
      const add = (...args: string[]) =>
        cli.json<{ token: string }>(["gateway", "token", "add", ...args]);
      const { token: engine } = await add("behind", "--engine");
      const { token: person } = await add("olga", "--client", "behind");
      const gateway = await stays<Up>(["gateway", "--port", "0", "--public-origin", proxy.origin]);
      expect(gateway.first.origin).toBe(proxy.origin);
      proxy.port = gateway.first.port;
      const env = { UNCAGED_GATEWAY_TOKEN: engine, NODE_EXTRA_CA_CERTS: cert };
      await stays(["connect", "--gateway", proxy.origin], env);
      expect(JSON.parse((await gateway.lines.next()).value)).toMatchObject({ state: "connected" });

      const sent = (path: string, headers: object, body?: string): Promise<IncomingMessage> => {
        const method = body === undefined ? "GET" : "POST";
        const given = { ...TLS, method, headers: { ...headers } };
        return answered(request(`${proxy.origin}${path}`, given), body);
      };
      const page = await sent("/", {});
      expect(page.statusCode).toBe(200);
      expect(page.headers["strict-transport-security"]).toBe("max-age=31536000");
      const json = { origin: proxy.origin, "content-type": "application/json" };
      const bought = await sent("/api/gateway/login", json, JSON.stringify({ token: person }));
      expect(bought.headers["set-cookie"]?.[0]).toMatch(/^__Host-uwf=.*; SameSite=Strict; Secure$/);

      const as = { authorization: `Bearer ${person}` };
      const start = JSON.stringify({ workflow: "steps", prompt: prompt({ steps: 1 }) });
      const started = await sent("/api/c/behind/threads", { ...json, ...as }, start);
      expect(started.statusCode).toBe(200);
      // Events come while the stream is open: nothing in between waits for its end.
      const events = request(`${proxy.origin}/api/c/behind/events?topics=threads`, {
        ...TLS,
        headers: as,
      }).end();
      const [stream] = (await once(events, "response")) as [IncomingMessage];
      const [first] = await once(stream, "data");
      expect(String(first)).toContain('{"type":"ready"}');
      events.destroy();

      // What somebody says about themselves on the way opens nothing.
      const forged = { ...as, "x-forwarded-host": "evil.example", "x-uwf-scope": "edit" };
      expect((await sent("/api/c/behind/about", forged)).statusCode).toBe(200);
      expect((await sent("/api/gateway/access", forged)).statusCode).toBe(403);
      const foreign = { ...json, ...as, origin: "https://evil.example" };
      expect((await sent("/api/c/behind/threads", foreign, start)).statusCode).toBe(403);
      proxy.host = `127.0.0.1:${proxy.port}`;
      expect((await sent("/api/c/behind/about", as)).statusCode).toBe(421);
    } finally {
      await processes.end();
      await proxy.close();
    }
  });
});
