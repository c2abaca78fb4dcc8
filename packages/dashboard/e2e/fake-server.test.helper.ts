import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Api,
  ENDPOINTS,
  type EndpointName,
  type ServerEvent,
} from "@uncaged/workflow-gateway/contract";
import { indexOf, NOW, type World } from "./world.test.helper.ts";

const PAGE = fileURLToPath(new URL("../../gateway/dist/page/", import.meta.url));

/** The policy under which the page is served (spec 8.4). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export type FakeServer = { url: string; stop: () => Promise<void> };

/** The built page, and a world behind the contract. Log-in: code `good` or token `good`. */
export async function startFakeServer(world: World): Promise<FakeServer> {
  const server = createServer((request, response) => {
    void answer(world, request, response).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify(failure("FAKE", String(error))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (!url.pathname.startsWith("/api/")) return sendPage(url.pathname, response);
  const found = endpointOf(request.method ?? "GET", url.pathname);
  if (found === null) return send(response, 404, failure("NOT_FOUND", "no such endpoint"));
  const { name, path } = found;
  if (name !== "logIn" && request.headers["x-uwf-key"] !== "the-key") {
    return send(response, 401, failure("UNAUTHENTICATED", "you are not logged in"));
  }
  if (name === "events") return stream(world, url, response);
  const body: unknown = request.method === "GET" ? null : JSON.parse(await textOf(request));
  if (request.method !== "GET") world.calls.push({ name, path, body });
  const reply = HANDLERS[name]?.({ world, path, query: url.searchParams, body });
  if (reply === undefined) return send(response, 404, failure("NOT_FOUND", `nothing for ${name}`));
  if ("text" in reply)
    return void response.writeHead(200, { "content-type": "text/plain" }).end(reply.text);
  send(
    response,
    reply.status ?? 200,
    name === "logIn" ? reply.value : told(reply.value, world.tell),
  );
}

/** Fields whose text is a person's, an author's or an agent's. Names of clients are not among them: the page's own paths
 *  begin with them. */
const WRITTEN = new Set(
  `agent agents as assignees binding branch condition content cwd defaultAgent description each environment
  from host input integration key labels location message model names needs note output path players pool pools prompt
  repository reviewers role roles subject summary systemPrompt title to user version when who worker workers
  worktree zone`.split(/\s+/),
);
const NAMED = new Set("workflows agents schedules triggers tokens name".split(" "));
/** Maps whose keys are such texts, too. */
const KEYED = new Set(["labels", "players", "roles"]);

function told(value: unknown, tell: World["tell"], key = "", within = ""): unknown {
  if (typeof value === "string") {
    const isWritten = WRITTEN.has(key) || (key === "name" && NAMED.has(within));
    return isWritten && !/^(__\w+__|FALLBACK)$/.test(value) ? tell(value) : value;
  }
  if (Array.isArray(value)) return value.map((each) => told(each, tell, key, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      KEYED.has(key) ? tell(name) : name,
      told(each, tell, KEYED.has(key) && typeof each === "string" ? key : name, key),
    ]),
  );
}

type Given = {
  world: World;
  path: { [name: string]: string };
  query: URLSearchParams;
  body: unknown;
};
type Reply = { value: unknown; status?: number } | { text: string };

const is = <Name extends EndpointName>(value: Api[Name]["response"]): Reply => ({ value });

const HANDLERS: { readonly [name in EndpointName]?: (given: Given) => Reply } = {
  logIn: ({ body }) => {
    const { code, token } = body as { code?: string; token?: string };
    if (code !== "good" && token !== "good") {
      const value = failure(
        "CODE_USED",
        "this link was used, or is older than a minute",
        "make a new one: uwf dashboard",
      );
      return { status: 401, value };
    }
    return is<"logIn">({
      who: "me",
      scopes: ["read", "run", "answer", "edit"],
      clients: null,
      expiresAt: NOW + 1e8,
      key: "the-key",
    });
  },
  logOut: () => is<"logOut">({ ended: true }),
  session: () =>
    is<"session">({ who: "me", scopes: ["read", "run"], clients: null, expiresAt: NOW + 1e8 }),
  listClients: () =>
    is<"listClients">({
      clients: [
        {
          name: "laptop",
          state: "connected",
          since: NOW - 60_000,
          version: "0.1.0",
          scopes: ["read", "run", "answer", "edit"],
        },
        {
          name: "build box",
          state: "gone",
          since: NOW - 90_000,
          version: "0.1.0",
          scopes: ["read"],
        },
      ],
    }),
  access: () =>
    is<"access">({
      tokens: [
        {
          id: "t1",
          name: "team",
          scopes: ["read", "run"],
          clients: ["laptop"],
          createdAt: NOW - 1e7,
          expiresAt: null,
          lastUsedAt: NOW - 1e5,
        },
      ],
      sessions: [{ who: "me", createdAt: NOW - 1e6, lastUsedAt: NOW, current: true }],
      audit: [
        {
          at: NOW - 5_000,
          who: "me",
          client: "laptop",
          method: "POST",
          path: "/threads",
          status: 403,
        },
      ],
    }),
  about: () =>
    is<"about">({
      version: "0.1.0",
      cwd: "/home/me/project",
      user: "me",
      allow: ["read", "run", "answer"],
      nowMs: NOW,
    }),
  listWorkflows: () =>
    is<"listWorkflows">({
      workflows: [
        { name: "develop", hash: "DC0TAVZSTXPWV", timestamp: NOW - 1e8 },
        { name: "triage", hash: "EC0TAVZSTXPWV", timestamp: NOW - 1e9 },
      ],
    }),
  showWorkflow: ({ world: { descriptor }, path, query }) =>
    is<"showWorkflow">({
      name: path.name ?? "",
      hash: query.get("version") ?? "DC0TAVZSTXPWV",
      timestamp: NOW - 1e8,
      descriptor:
        query.get("version") === "0LD0000000000"
          ? { ...descriptor, description: "As it was before" }
          : descriptor,
      history: [{ hash: "0LD0000000000", timestamp: NOW - 1e9 }],
      sha256: "",
      externals: [],
      players: {
        planner: { agent: "claude", by: "default" },
        coder: { agent: "codex", by: "workflow" },
      },
    }),
  listAgents: () =>
    is<"listAgents">({ agents: [{ name: "claude" }, { name: "codex" }], defaultAgent: "claude" }),
  listThreads: ({ world, query }) => {
    const fits = [...world.threads.values()]
      .map(({ row }) => row)
      .filter((row) => (query.get("status") ?? row.status) === row.status)
      .filter((row) => (query.get("workflow") ?? row.workflow) === row.workflow)
      .filter((row) => (row.title ?? "").includes(query.get("q") ?? ""));
    const from = Number(query.get("after") ?? 0);
    const to = from + Number(query.get("limit") ?? 50);
    return is<"listThreads">({
      threads: fits.slice(from, to),
      next: to < fits.length ? String(to) : null,
    });
  },
  startThread: () => is<"startThread">({ threadId: "STARTED" }),
  raceThread: ({ path, body }) =>
    is<"raceThread">({
      forkedFrom: { threadId: path.id ?? "", stateHash: "S" },
      contenders: (body as { agents: string[] }).agents.map((agent) => ({
        agent,
        threadId: "FORKED",
      })),
    }),
  forkThread: ({ path }) =>
    is<"forkThread">({
      threadId: "FORKED",
      head: "H",
      forkedFrom: { threadId: path.id ?? "", stateHash: "S" },
    }),
  showThread: ({ world, path }) => {
    const thread = world.threads.get(path.id ?? "");
    return thread === undefined ? notFound : is<"showThread">(thread.head);
  },
  threadIndex: ({ world, path }) => {
    const thread = world.threads.get(path.id ?? "");
    return thread === undefined ? notFound : is<"threadIndex">(indexOf(thread));
  },
  showStep: ({ world, path }) => {
    const thread = world.threads.get(path.id ?? "");
    const step = thread?.steps[Number(path.n) - 1];
    if (thread === undefined || step === undefined) return notFound;
    return is<"showStep">({ threadId: thread.head.threadId, head: thread.head.head, step });
  },
  stepEvidence: ({ path }) =>
    is<"stepEvidence">({
      threadId: path.id ?? "",
      round: Number(path.n),
      evidence: [
        {
          hash: "1TZZDHTDVCXRT",
          kind: "call",
          call: {
            id: "1",
            name: "Bash",
            kind: "execute",
            subject: "npm test",
            input: { command: "npm test" },
            output: "\u001b[32m✓\u001b[0m 12 passed",
            ok: true,
            exitCode: 0,
            durationMs: 812,
            timestamp: NOW,
          },
        },
        {
          hash: "2TZZDHTDVCXRT",
          kind: "check",
          check: {
            check: 1,
            tree: "a",
            base: "b",
            command: ["npm", "test"],
            environment: "",
            isolation: { by: "bubblewrap", network: "off" },
            controls: ["package.json"],
            clean: {
              tree: "a",
              exitCode: 1,
              timedOut: false,
              durationMs: 3_000,
              output: "1 failed",
              changed: [],
            },
            controlled: null,
            canary: null,
            verdict: "failed",
            faults: [{ kind: "command_failed", message: "npm test exited with 1" }],
          },
        },
      ],
    }),
  stepFiles: ({ world, path }) => {
    const step = world.threads.get(path.id ?? "")?.steps[Number(path.n) - 1];
    if (step?.workspace === undefined) return notFound;
    return is<"stepFiles">({
      threadId: path.id ?? "",
      round: Number(path.n),
      role: step.role,
      workspace: step.workspace,
      files: [
        { path: "src/slugify.js", change: "modified" },
        { path: "src/slugify.test.js", change: "added" },
      ],
    });
  },
  stepPatch: ({ world, path, query }) => {
    const step = world.threads.get(path.id ?? "")?.steps[Number(path.n) - 1];
    return is<"stepPatch">({
      threadId: path.id ?? "",
      round: Number(path.n),
      path: query.get("path") ?? "",
      patch: `diff --git a/x b/x\n@@ -1,2 +1,2 @@\n the same\n-${step?.content}\n+${step?.content}\n`,
      isCut: true,
    });
  },
  diffThreads: ({ path }) =>
    is<"diffThreads">({
      a: { threadId: path.a ?? "", status: "completed", usage: null },
      b: { threadId: path.b ?? "", status: "failed", usage: null },
      partsAt: 2,
      rounds: [
        { round: 1, relation: "shared", a: side("planner"), b: side("planner"), changes: [] },
        {
          round: 2,
          relation: "differs",
          a: side("coder"),
          b: side("coder"),
          changes: [{ path: "summary", a: "One hyphen.\nTested.", b: "Two hyphens.\nTested." }],
        },
      ],
    }),
  pauseThread: ({ world, path }) => steer(world, path, "paused"),
  resumeThread: ({ world, path }) => steer(world, path, "running"),
  stopThread: ({ world, path }) => steer(world, path, "idle"),
  killThread: ({ world, path }) => steer(world, path, "aborted"),
  answerThread: ({ world, path }) => {
    world.inbox = world.inbox.filter((id) => id !== path.id);
    return steer(world, path, "running");
  },
  raiseLimits: ({ world, path }) => steer(world, path, "running"),
  pokeThread: ({ path }) =>
    is<"pokeThread">({ threadId: path.id ?? "", head: null, previousHead: "H", status: "running" }),
  steerThreads: ({ body }) => {
    const { threadIds } = body as { threadIds: string[] };
    return {
      value: {
        threads: threadIds.map((threadId) => ({
          threadId,
          error: { code: "TRANSITION_INVALID", message: "it has ended", hint: "" },
        })),
      },
    };
  },
  inbox: ({ world }) =>
    is<"inbox">({ threads: world.inbox.flatMap((id) => world.threads.get(id)?.row ?? []) }),
  costs: ({ query }) =>
    is<"costs">({
      by: query.get("by") === "role" ? "role" : "day",
      since: null,
      runs: 12,
      total: { inputTokens: 90_000, outputTokens: 10_000, cachedInputTokens: 0, costUsd: 1.23 },
      costs: [
        {
          key: "2026-11-22",
          runs: 9,
          usage: { inputTokens: 80_000, outputTokens: 9_000, cachedInputTokens: 0, costUsd: 1.1 },
        },
        {
          key: "2026-11-21",
          runs: 3,
          usage: { inputTokens: 10_000, outputTokens: 1_000, cachedInputTokens: 0, costUsd: 0.13 },
        },
      ],
    }),
  queue: ({ world }) => {
    const [first] = world.threads.values();
    const threads =
      first === undefined
        ? []
        : [
            {
              ...first.row,
              queue: { since: NOW - 9_000, for: ["agent:claude" as const], notBefore: null },
            },
          ];
    return is<"queue">({ threads, pausedSince: NOW - 5_000, holds: [] });
  },
  listWorkers: () =>
    is<"listWorkers">({
      workers: [
        {
          worker: "laptop-3k9x2p",
          host: "laptop",
          pools: ["default"],
          labels: [],
          atOnce: null,
          version: "1.4.0",
          startedAt: NOW - 4e6,
          seenAt: NOW - 2_000,
          drainingAt: null,
          stale: false,
          threads: ["01M83J8HKCR3CNK078Q2PLAYED"],
        },
        {
          worker: "rack-2-a81mfe",
          host: "rack-2",
          pools: ["default", "gpu"],
          labels: ["linux", "cuda12"],
          atOnce: 4,
          version: "1.4.0",
          startedAt: NOW - 9e6,
          seenAt: NOW - 4_000,
          drainingAt: NOW - 30_000,
          stale: false,
          threads: ["01M83J8HKCR3CNK078Q2WAITED", "01M83J8HKCR3CNK078Q2PLAYED"],
        },
        {
          worker: "rack-1-zz04qd",
          host: "rack-1",
          pools: ["gpu"],
          labels: [],
          atOnce: 8,
          version: "1.3.0",
          startedAt: NOW - 9e6,
          seenAt: NOW - 90_000,
          drainingAt: null,
          stale: true,
          threads: [],
        },
      ],
    }),
  drainWorker: ({ path }) => is<"drainWorker">({ worker: path.worker ?? "", ended: false }),
  listTasks: () =>
    is<"listTasks">({
      tasks: [
        {
          repository: "/home/me/project/.git",
          id: "slug-fix",
          state: "WORKING",
          branch: "feat/slug-fix",
          worktree: "/home/me/project/worktrees/slug-fix",
          description: "Mend the slugs",
          integration: "main",
          attempt: 2,
          who: "claude",
          workers: ["claude"],
          head: null,
          merged: null,
          note: "The tests are missing.",
          workflow: null,
          thread: null,
          assignedAt: NOW - 1e6,
          changedAt: NOW - 1e5,
          heartbeatAt: NOW - 4e5,
          progress: 0.4,
          stale: true,
        },
      ],
    }),
  listSchedules: () =>
    is<"listSchedules">({
      hosted: false,
      schedules: [
        {
          name: "nightly",
          createdAt: NOW,
          pausedAt: null,
          nextAt: NOW + 4e6,
          timing: { kind: "cron", cron: "0 3 * * *", zone: "Europe/Zurich" },
          overlap: "skip",
          catchUpMs: null,
          jitterMs: 0,
          start: START,
        },
      ],
    }),
  listTriggers: () =>
    is<"listTriggers">({
      triggers: [
        {
          name: "issues",
          source: { kind: "webhook", filter: null },
          start: START,
          createdAt: NOW,
          pausedAt: NOW,
        },
      ],
    }),
  blob: () => ({ text: 'type: "content"\npayload: "You are the coder.\\nDo it."\nrefs: []\n' }),
};

const START = {
  workflow: "develop",
  prompt: "Mend what is red",
  cwd: "/home/me/project",
  limits: null,
  title: null,
  labels: {},
  priority: 0,
};
const side = (role: string) => ({ role, meta: {}, stateHash: "S", condition: "FALLBACK" });
const notFound: Reply = {
  status: 404,
  value: failure("THREAD_NOT_FOUND", "there is no such thread", "uwf thread list shows all"),
};

function steer(
  world: World,
  path: { [name: string]: string },
  status: "paused" | "running" | "idle" | "aborted",
): Reply {
  const thread = world.threads.get(path.id ?? "");
  if (thread === undefined) return notFound;
  const now = { status, suspended: null, waits: [] } as const;
  Object.assign(thread.head, now);
  Object.assign(thread.row, now);
  const { threadId, workflow, bundleHash, head, stepCount, updatedAt } = thread.row;
  return {
    value: {
      threadId,
      workflow,
      bundleHash,
      status,
      stale: false,
      pausing: false,
      head,
      stepCount,
      updatedAt,
    },
  };
}

function stream(world: World, url: URL, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let id = 0;
  const write = (event: ServerEvent) => {
    id += 1;
    response.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const listener = { topics: (url.searchParams.get("topics") ?? "").split(","), write };
  world.listeners.add(listener);
  response.on("close", () => world.listeners.delete(listener));
  write({ type: "ready" });
}

function endpointOf(
  method: string,
  pathname: string,
): { name: EndpointName; path: { [name: string]: string } } | null {
  const own = /^\/api\/c\/[^/]+(\/.*)$/.exec(pathname)?.[1];
  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    const wanted = endpoint.path.startsWith("/api/") ? pathname : own;
    if (wanted === undefined || endpoint.method !== method) continue;
    const pattern = new RegExp(`^${endpoint.path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    const match = pattern.exec(wanted);
    if (match === null) continue;
    const path = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([k, v]) => [k, decodeURIComponent(v)]),
    );
    return { name: name as EndpointName, path };
  }
  return null;
}

function sendPage(pathname: string, response: ServerResponse): void {
  const asked = join(PAGE, pathname);
  const isAsset = pathname.startsWith("/assets/") && existsSync(asked) && statSync(asked).isFile();
  const file = isAsset ? asked : join(PAGE, "index.html");
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "text/plain",
    // As the gateway does.
    "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
  });
  createReadStream(file).pipe(response);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(value));
}

function failure(code: string, message: string, hint = "") {
  return { error: { code, message, hint } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8") || "{}";
}
