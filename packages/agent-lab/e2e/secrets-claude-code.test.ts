/** Secrets planted where real ones would be, and searched for wherever the engine writes or shows something. */
import { randomBytes } from "node:crypto";
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claudeCode } from "../src/agents/claude-code.ts";
import { installPrograms, openStage, type Stage, TWO_STEPS_WORKFLOW } from "../src/index.ts";

const LIMIT_MS = 8 * 60_000;
const SAMPLE_MS = 20;

const secret = () => randomBytes(18).toString("hex");

/** Of the person who starts the thread; the agent needs none of them. */
const ENVIRONMENT = {
  OPENAI_API_KEY: secret(),
  GITHUB_TOKEN: `ghp_${secret()}`,
  GH_TOKEN: secret(),
  NPM_TOKEN: `npm_${secret()}`,
  AWS_SECRET_ACCESS_KEY: secret(),
  AWS_SESSION_TOKEN: secret(),
  DATABASE_PASSWORD: secret(),
  SLACK_TOKEN: `xoxb-${secret()}`,
  UNCAGED_GATEWAY_TOKEN: secret(),
  SIGNING_PASSPHRASE: secret(),
  SERVICE_URL: `https://user:${secret()}@localhost/`,
  HARMLESS_NAME: secret(),
};

/** The agent's own: it must see it, and nobody else may. */
const OWN_KEY = secret();

const CONFIGURATION = {
  provider: `sk-${secret()}`,
  otherProvider: secret(),
  otherAgent: secret(),
  otherAgentToken: secret(),
  otherAgentHeader: secret(),
  thirdAgent: secret(),
  thirdAgentPassword: secret(),
};

/** Providers and agents that have nothing to do with the thread. */
const OTHERS = {
  providers: {
    one: { baseUrl: "http://127.0.0.1:9/v1", apiKey: CONFIGURATION.provider },
    two: { baseUrl: "http://127.0.0.1:9/v1", apiKey: CONFIGURATION.otherProvider },
  },
  agents: {
    other: {
      package: "@uncaged/workflow-agent-command",
      options: {
        command: "true",
        env: { A: CONFIGURATION.otherAgent, A_TOKEN: CONFIGURATION.otherAgentToken },
      },
    },
    third: {
      package: "@uncaged/workflow-agent-claude-code",
      options: {
        env: {
          ANTHROPIC_API_KEY: CONFIGURATION.thirdAgent,
          B_PASSWORD: CONFIGURATION.thirdAgentPassword,
        },
        mcpServers: {
          far: {
            type: "http",
            url: "http://127.0.0.1:9/",
            headers: { Key: CONFIGURATION.otherAgentHeader },
          },
        },
      },
    },
  },
};

/** In a file that a tool prints. */
const PRINTED = {
  OPENROUTER_API_KEY: `sk-or-v1-${secret()}`,
  DEPLOY_TOKEN: secret(),
  JWT_SECRET: secret(),
  "export ADMIN_PASSWORD": secret(),
  GITLAB: `glpat-${secret()}`,
  GITHUB: `github_pat_${secret()}`,
  GOOGLE: `AIza${secret()}`,
  AWS: `AKIA${secret().toUpperCase()}`,
  HUGGING_FACE: `hf_${secret()}`,
  SSH_PASSPHRASE: secret(),
};

const PLAIN = `plain-${secret()}`;
const CANARIES = [
  ...Object.values(ENVIRONMENT).map(secretIn),
  OWN_KEY,
  ...Object.values(CONFIGURATION).map(secretIn),
  ...Object.values(PRINTED).map(secretIn),
];

const FILE = `${Object.entries(PRINTED)
  .map(([name, value]) => `${name}=${value}`)
  .join("\n")}\nNOTE=${PLAIN}\n`;

/** The agent's shell stays until the test has had a look at the processes, however busy the machine is. */
const UNTIL_SEEN = "for i in $(seq 300); do [ -e seen ] && break; sleep 0.1; done";

const SCRIPTS = {
  "1 worker": `[[shell:cat settings.env]] [[shell:env; cat settings.env >&2; ${UNTIL_SEEN}]] [[text:The key is ${OWN_KEY}, the token is ${ENVIRONMENT.GH_TOKEN}.\n\n${FILE}]] [[json:{"status":"done"}]]`,
};

describe("claude-code", () => {
  let stage: Stage;
  beforeAll(async () => {
    const [program] = await installPrograms([claudeCode.program]);
    if (program === undefined) throw new Error("claude is not installed");
    stage = await openStage({
      binding: (url) => claudeCode.binding(program, url),
      scripts: () => SCRIPTS,
      workflow: TWO_STEPS_WORKFLOW,
      env: ENVIRONMENT,
      options: () => ({ env: { ANTHROPIC_API_KEY: OWN_KEY } }),
      config: OTHERS,
    });
    writeFileSync(join(stage.work, "settings.env"), FILE);
  }, LIMIT_MS);
  afterAll(() => stage?.close());

  test("secrets: of 30 none is in the store, in logs, in what is shown, in a command line, or with whom it does not concern", {
    timeout: LIMIT_MS,
  }, async () => {
    expect(new Set(CANARIES).size).toBe(30);
    const seen = watchProcesses(stage.root, (line) => {
      if (line.includes("settings.env")) writeFileSync(join(stage.work, "seen"), "");
    });
    const live = await stage.run(["run", "flow", "--prompt", "Look around.", "--live"]);
    seen.stop();
    expect(live.code, live.stdout + live.stderr).toBe(0);

    const { threads } = await stage.json<{ threads: { threadId: string }[] }>(["thread", "list"]);
    const id = threads[0]?.threadId ?? "";
    const shown = await Promise.all(
      [["show"], ["context"], ["list"]].map(async ([verb = ""]) => {
        const { stdout } = await stage.run(["thread", verb, ...(verb === "list" ? [] : [id])]);
        return stdout;
      }),
    );
    expect(found(live.stdout + live.stderr + shown.join("\n"))).toEqual([]);

    // What nobody has to hide is found, so the search really works.
    const stored = filesUnder(stage.root).filter(({ path }) => !isPrivate(stage.root, path));
    expect(stored.some(({ text }) => text.includes(PLAIN))).toBe(true);
    for (const { path, text } of stored) expect(found(text), path).toEqual([]);

    expect(seen.commandLines.some((line) => line.includes("settings.env"))).toBe(true);
    expect(found(seen.commandLines.join("\n"))).toEqual([]);
    expect(seen.environments.length).toBeGreaterThan(1);
    expect(found(seen.environments.join("\n")).filter((each) => each !== OWN_KEY)).toEqual([]);
  });

  test("secrets-gone: what the agent itself wrote down goes away with the thread", async () => {
    const { threads } = await stage.json<{ threads: { threadId: string }[] }>(["thread", "list"]);
    for (const { threadId } of threads) await stage.json(["thread", "rm", threadId]);
    const left = filesUnder(stage.root).filter(({ path }) => path !== configurationOf(stage.root));
    for (const { path, text } of left) expect(found(text), path).toEqual([]);
  });
});

const found = (text: string): string[] => CANARIES.filter((canary) => text.includes(canary));

/** The secret in a URL is its password. */
function secretIn(text: string): string {
  return /\/\/user:(.*)@/.exec(text)?.[1] ?? text;
}

const configurationOf = (root: string) => join(root, "workflow.yaml");

/** The person's own settings file, and the agent's own folder. */
function isPrivate(root: string, path: string): boolean {
  return path === configurationOf(root) || path.startsWith(join(root, "agents"));
}

function filesUnder(root: string): { path: string; text: string }[] {
  return globSync("**/*", { cwd: root, exclude: (name) => name === "node_modules" })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, "latin1") }));
}

/** Command lines of all processes, and environments of those that the engine started for the thread. */
function watchProcesses(root: string, onLine: (line: string) => void) {
  const commandLines = new Set<string>();
  const environments = new Set<string>();
  const look = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const line = read(`/proc/${pid}/cmdline`);
      const environment = read(`/proc/${pid}/environ`);
      if (!environment.includes(root)) continue;
      commandLines.add(line);
      onLine(line);
      // The engine's own runner has an empty tag.
      if (/UNCAGED_RUN_MARK=[^\0]/.test(environment)) environments.add(environment);
    }
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    get commandLines() {
      return [...commandLines];
    },
    get environments() {
      return [...environments];
    },
    stop: () => clearInterval(timer),
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
