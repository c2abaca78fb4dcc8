/** Real agents in a role whose `tools` have no network: they reach their model, and their commands reach nothing. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentBinding, AgentUnderTest } from "../src/agents/agent-under-test.ts";
import { claudeCode } from "../src/agents/claude-code.ts";
import { codex } from "../src/agents/codex.ts";
import {
  installPrograms,
  makeRepository,
  openStage,
  type Stage,
  TWO_STEPS_WORKFLOW,
} from "../src/index.ts";

const LIMIT_MS = 6 * 60_000;
const OFFLINE = TWO_STEPS_WORKFLOW.replace(
  "extractRefs: null,",
  "extractRefs: null, tools: { network: false },",
);

/** Asks directly, and by the proxy that the environment may name. */
const ASK = `
const { request } = require("node:http");
const ask = (name, options) => new Promise((done) => {
  const asked = request(options, (answer) => { console.log(name, answer.statusCode); answer.resume(); done(); });
  asked.on("error", ({ code }) => { console.log(name, code); done(); }).end();
});
const url = process.argv[2];
ask("direct", url).then(() => ask("proxy", { host: "127.0.0.1", port: 3128, path: url }));
`;

let outside: Server;
let asked = 0;
beforeAll(async () => {
  outside = createServer((_, answer) => {
    asked++;
    answer.end();
  });
  await once(outside.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => outside.close());

describeOffline("claude-code", programOf(claudeCode), "proxy 403");
describeOffline("codex", programOf(codex), "proxy E");
describeOffline(
  "react",
  async () => (url) => ({
    package: "@uncaged/workflow-agent-react",
    options: { model: "lab/lab-model" },
    providers: { lab: { baseUrl: `${url}/v1` } },
  }),
  "proxy ECONNREFUSED",
);

type Bind = () => Promise<(url: string) => AgentBinding>;

function programOf(agent: AgentUnderTest): Bind {
  return async () => {
    const [program] = await installPrograms([agent.program]);
    if (program === undefined) throw new Error(`${agent.program} is not installed`);
    return (url) => agent.binding(program, url);
  };
}

function describeOffline(name: string, bind: Bind, byProxy: string): void {
  describe(name, () => {
    let stage: Stage;
    let thread: ThreadView;
    let answers: string[];
    beforeAll(async () => {
      const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
      stage = await openStage({
        binding: await bind(),
        scripts: () => ({
          "1 worker": `[[shell:node ask.cjs ${url} > asked.txt 2>&1]] [[json:{"status":"more"}]]`,
          "2 worker": '[[json:{"status":"done"}]]',
        }),
        workflow: OFFLINE,
      });
      await makeRepository(stage.work);
      await writeFile(join(stage.work, "ask.cjs"), ASK);
      const { code, stdout, stderr } = await stage.run([
        ...["--json", "thread", "run", "flow", "--prompt", "Ask around.", "--wait"],
      ]);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      const { threadId }: { threadId: string } = JSON.parse(stdout);
      thread = await stage.json(["thread", "show", threadId]);
      answers = readFileSync(join(stage.work, "asked.txt"), "utf8").trim().split("\n");
    }, LIMIT_MS);
    afterAll(() => stage?.close());

    test("offline-works: it reaches its model, in every step and session", () => {
      expect(thread.steps.map(({ meta }) => meta.status)).toEqual(["more", "done"]);
      const [first, second] = thread.steps.map(({ run }) => run);
      expect(second?.session).toBe(first?.session);
      expect([first?.policy, second?.policy]).toEqual(["held", "held"]);
    });

    test("offline-holds: its commands reach nothing, directly or by its model's way", () => {
      expect(answers).toEqual([
        expect.stringMatching(/^direct E[A-Z]+$/),
        expect.stringMatching(`^${byProxy}`),
      ]);
      expect(asked).toBe(0);
    });
  });
}
