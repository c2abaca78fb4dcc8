/** An agent for tests, built with the SDK's own agent side. The first word of the prompt says what it does in a
 *  turn; its first argument says how it starts. */
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";

const [start = "plain"] = process.argv.slice(2);
const END: PromptResponse = { stopReason: "end_turn" };
const EDIT = { toolCallId: "call-1", name: "write", title: "Writing", kind: "edit" } as const;
const PATH = "/tmp/stand-in/notes.txt";

let turns = 0;
let loggedIn = false;
let cancelled = (): void => {};

type Turn = {
  client: AgentContext;
  say(text: string): Promise<void>;
  update(update: SessionUpdate): Promise<void>;
  ask(call: { rawInput: unknown; locations?: { path: string }[] }): Promise<string>;
};

const TURNS: Readonly<Record<string, (turn: Turn) => Promise<PromptResponse>>> = {
  async answer({ say }) {
    await say("Thinking. ");
    await say(`{"turn":${turns}}`);
    return END;
  },
  async edit({ say, update, ask }) {
    await say("I will write.");
    const rawInput = { file_path: PATH, content: "x" };
    await update({ sessionUpdate: "tool_call", ...EDIT, status: "pending", rawInput });
    const outcome = await ask({ rawInput });
    const status = outcome === "allow_once" ? "completed" : "failed";
    await update({ sessionUpdate: "tool_call_update", toolCallId: EDIT.toolCallId, status });
    await say(outcome);
    return END;
  },
  async "edit-many"({ say, ask }) {
    await say(await ask({ rawInput: {}, locations: [{ path: "/ok" }, { path: "/etc/passwd" }] }));
    return END;
  },
  async "edit-blind"({ say, ask }) {
    await say(await ask({ rawInput: {} }));
    return END;
  },
  async "edit-unasked"({ update }) {
    const locations = [{ path: PATH }];
    await update({ sessionUpdate: "tool_call", ...EDIT, status: "in_progress", locations });
    await update({ sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "completed" });
    await untilCancelled();
    return { stopReason: "cancelled" };
  },
  async run({ update, say }) {
    const toolCallId = "call-2";
    await update({
      sessionUpdate: "tool_call",
      toolCallId,
      title: "npm test",
      kind: "execute",
      status: "in_progress",
      rawInput: { command: "npm test" },
    });
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "completed",
      rawOutput: { output: "1 failed", metadata: { exit: 1 } },
    });
    await update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
    await say("done");
    return END;
  },
  async hang() {
    await untilCancelled();
    return { stopReason: "cancelled" };
  },
  async polite() {
    process.on("SIGINT", () => setTimeout(() => process.exit(130), 300));
    await new Promise((resolve) => process.on("SIGINT", resolve));
    return { stopReason: "cancelled" };
  },
  async rude() {
    process.on("SIGINT", () => setTimeout(() => process.exit(130), 300));
    await new Promise((resolve) => process.on("SIGINT", resolve));
    throw RequestError.internalError({ details: "the turn failed" });
  },
  async deaf() {
    // Neither a cancelled turn nor a signal ends it, and its child has left the session.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
    spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    return new Promise(() => {});
  },
  async die() {
    process.stderr.write("the disk is on fire\n", () => process.exit(3));
    return new Promise(() => {});
  },
  async noise({ say }) {
    process.stdout.write(
      '\u001b[31mWarning:\u001b[0m a new version is out\n{"cut": \n[1,2]\nnull\n\n',
    );
    process.stdout.write(
      '{"jsonrpc":"2.0","id":4711,"result":{}}\n{"jsonrpc":"2.0","id":null,"error":1}\n',
    );
    await say("quiet again");
    return END;
  },
  async flood({ say }) {
    const piece = "x".repeat(64 * 1024);
    for (let at = 0; at < 4_800; at++) await say(piece);
    await say('{"flooded":true}');
    return END;
  },
  async "flood-line"({ say }) {
    const line = `{"jsonrpc":"2.0","method":"x","params":"${"y".repeat(40 * 1024 * 1024)}"}\n`;
    await new Promise((resolve) => process.stdout.write(line, resolve));
    await say("after the line");
    return END;
  },
  async "flood-calls"({ update, say }) {
    for (let at = 0; at < 20_000; at++) {
      const call = { toolCallId: `c${at}`, title: "t", rawInput: { at, text: "z".repeat(1_000) } };
      await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
    }
    await say("so many");
    return END;
  },
  async "ask-without-end"() {
    process.stdin.pause();
    for (let id = 0; id < 1_000_000; id++) {
      const line = `{"jsonrpc":"2.0","id":"q${id}","method":"cursor/ask","params":{}}\n`;
      if (!process.stdout.write(line))
        await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
    return new Promise(() => {});
  },
  async hostile({ client, say }) {
    const refused: number[] = [];
    const calls: [string, unknown][] = [
      ["cursor/ask_question", { question: "which colour?" }],
      ["fs/read_text_file", { sessionId: "s", path: "/etc/shadow" }],
      ["terminal/create", { sessionId: "s", command: "id" }],
      ["session/request_permission", { sessionId: 7 }],
      ["session/request_permission", { sessionId: "s", toolCall: {}, options: "all" }],
    ];
    for (const [method, params] of calls) {
      const answer = await client
        .request(method, params)
        .catch((fault: RequestError) => fault.code);
      if (typeof answer === "number") refused.push(answer);
      else await say(`${JSON.stringify(answer)} `);
    }
    await client.notify("session/update", {
      sessionId: "s",
      update: { sessionUpdate: "nonsense" },
    });
    await client.notify("session/update", 12);
    await say(`refused ${refused.join(",")}`);
    return END;
  },
  async "hide-error"({ update, say }) {
    const meta = (codex: unknown): SessionUpdate => ({
      sessionUpdate: "session_info_update",
      _meta: { codex },
    });
    await update(meta({ error: { message: "Reconnecting 1/1", willRetry: true } }));
    await update(meta({ threadStatus: { type: "systemError" } }));
    await say("exceeded retry limit, last status: 429 Too Many Requests");
    return END;
  },
  async overflow() {
    throw new RequestError(-32603, "Internal error", {
      details: "maximum context length is 128000 tokens",
    });
  },
  async spend({ update, say }) {
    await update({
      sessionUpdate: "usage_update",
      used: 1,
      size: 2,
      cost: { amount: turns / 4, currency: "USD" },
    });
    await say("spent");
    const usage = {
      totalTokens: 3,
      inputTokens: 100 * turns,
      outputTokens: 10 * turns,
      cachedReadTokens: 1,
    };
    // Not in the types of the protocol yet.
    return Object.assign({ usage }, END);
  },
  async environment({ say }) {
    await say(JSON.stringify(process.env));
    return END;
  },
};

agent({ name: "stand-in" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: start !== "forgetful" },
    authMethods: [{ id: "by-key", name: "Key" }],
  }))
  .onRequest(methods.agent.authenticate, ({ params }) => {
    loggedIn = params.methodId === "by-key";
  })
  .onRequest(methods.agent.session.new, () => {
    if (start === "locked" && !loggedIn) throw RequestError.authRequired();
    if (start === "mute") return new Promise(() => {});
    return {
      sessionId: "session-1",
      modes: {
        currentModeId: "free",
        availableModes: ["free", "asking"].map((id) => ({ id, name: id })),
      },
    };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    if (params.modeId !== "asking") throw RequestError.invalidParams();
    return {};
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const { sessionId } = params;
    if (sessionId !== "session-0") throw RequestError.sessionNotFound(sessionId);
    const past: SessionUpdate[] = [
      { sessionUpdate: "agent_message_chunk", content: { type: "text", text: '{"past":true}' } },
      { sessionUpdate: "tool_call", ...EDIT, status: "completed" },
    ];
    for (const update of past)
      await client.notify(methods.client.session.update, { sessionId, update });
    turns = 1;
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => cancelled())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    turns++;
    const { sessionId } = params;
    const [first] = params.prompt;
    const word = first?.type === "text" ? (first.text.split(/\s/, 1)[0] ?? "") : "";
    const update = (news: SessionUpdate): Promise<void> =>
      client.notify(methods.client.session.update, { sessionId, update: news });
    const turn = TURNS[word];
    if (turn === undefined) return END;
    return turn({
      client,
      update,
      say: (text) =>
        update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
      async ask(call) {
        const request: RequestPermissionRequest = {
          sessionId,
          toolCall: { ...EDIT, locations: [], ...call },
          options: [
            { optionId: "1", name: "Always", kind: "allow_always" },
            { optionId: "2", name: "Never", kind: "reject_always" },
            { optionId: "reject_once", name: "No", kind: "reject_once" },
            { optionId: "allow_once", name: "Yes", kind: "allow_once" },
          ],
        };
        const { outcome } = await client.request(methods.client.session.requestPermission, request);
        return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
      },
    });
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

function untilCancelled(): Promise<void> {
  return new Promise((resolve) => {
    cancelled = resolve;
  });
}
