import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AgentLookup, namedAgents } from "./named-agent.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "named-agent-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Its adapter is a function that reports the options it was created with. */
const ECHO = `
let made = 0;
export const agent = {
  name: "echo",
  create(options, host) {
    made += 1;
    if (options.broken) throw new Error("option broken is not known");
    const model = options.model === undefined ? null : host.resolveModel(options.model);
    const number = made;
    return () => async () => ({ number, options, model });
  },
  probe: async () => ({}),
};
`;

function install(name: string, code: string): void {
  const folder = join(root, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  const manifest = { name, version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), code);
}

function configure(config: unknown): void {
  writeFileSync(join(root, "workflow.yaml"), JSON.stringify({ config }));
}

function lookup(env: Record<string, string> = {}): AgentLookup {
  const packagesBase = pathToFileURL(join(root, "none/cli.js")).href;
  return namedAgents({ root, packagesBase }, undefined, env);
}

/** What the echo adapter returns when it runs. */
async function played(agents: AgentLookup, name: string | null): Promise<unknown> {
  const play: unknown = await agents(name);
  if (typeof play !== "function") throw new Error("no adapter");
  return play()();
}

describe("namedAgents", () => {
  it("makes the agent with its options and the models of the configuration, once a run", async () => {
    install("someone-else", ECHO);
    configure({
      providers: { p: { baseUrl: "https://p.test/v1", apiKey: "$P_KEY" } },
      agents: { mine: { package: "someone-else", options: { model: "p/m", depth: 2 } } },
    });
    const agents = lookup({ P_KEY: "sk-p" });
    const first = {
      number: 1,
      options: { model: "p/m", depth: 2 },
      model: { baseUrl: "https://p.test/v1", model: "m", apiKey: "sk-p" },
    };
    expect(await played(agents, "mine")).toEqual(first);
    expect(await played(agents, "mine")).toEqual(first);
    expect(await played(lookup({ P_KEY: "sk-p" }), "mine")).toMatchObject({ number: 2 });
  });

  it("takes the default agent for a role that names none", async () => {
    install("one", ECHO);
    configure({ agents: { one: { package: "one" } }, defaultAgent: "one" });
    expect(await played(lookup(), null)).toMatchObject({ number: 1 });
  });

  it.each([
    ["a name that is not configured", { one: { package: "one" } }, "two", "AGENT_NOT_FOUND", "two"],
    ["a package that is not installed", { a: { package: "gone" } }, "a", "AGENT_NOT_FOUND", "gone"],
    ["no default agent", { one: { package: "one" } }, null, "AGENT_NOT_FOUND", "defaultAgent"],
    [
      "options that the agent does not take",
      { a: { package: "one", options: { broken: true } } },
      "a",
      "CONFIG_INVALID",
      'agent "a": option broken is not known',
    ],
    [
      "a model whose key is not set",
      { a: { package: "one", options: { model: "p/m" } } },
      "a",
      "CONFIG_INVALID",
      "P_KEY",
    ],
  ])("rejects for %s", async (_what, agents, name, code, words) => {
    install("one", ECHO);
    const providers = { p: { baseUrl: "https://p.test/v1", apiKey: "$P_KEY" } };
    configure({ providers, agents });
    await expect(lookup()(name)).rejects.toMatchObject({
      failure: { code, message: expect.stringContaining(words) },
    });
  });

  it("tries again after a failure: what was fixed meanwhile works", async () => {
    configure({ agents: { a: { package: "later" } } });
    const agents = lookup();
    await expect(agents("a")).rejects.toMatchObject({ failure: { code: "AGENT_NOT_FOUND" } });
    install("later", ECHO);
    expect(await played(agents, "a")).toMatchObject({ number: 1 });
  });
});
