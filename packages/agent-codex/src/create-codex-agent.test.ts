import { type AgentHost, failureFrom, type JsonObject } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { codexDriver } from "./codex-driver.ts";
import { agent } from "./create-codex-agent.ts";

const host: AgentHost = {
  env: {},
  resolveModel: () => {
    throw new Error("no model is asked for");
  },
};

function refusal(options: JsonObject): string {
  try {
    agent.create(options, host);
    return "";
  } catch (thrown) {
    const { code, message } = failureFrom(thrown, "INTERNAL");
    return `${code} ${message}`;
  }
}

describe("the agent package", () => {
  it("creates an adapter from the options in workflow.yaml", () => {
    const options = {
      model: "gpt-5.5",
      provider: { baseUrl: "https://host.example/v1", envKey: "KEY" },
      sandbox: "workspace",
      network: true,
      writable: ["/cache"],
      timeoutMs: 5_000,
    };
    expect(agent.name).toBe("codex");
    expect(agent.create(options, host)).toBeTypeOf("function");
  });

  it.each<[string, JsonObject]>([
    ["modle", { modle: "gpt-5.5" }],
    ["sandbox", { sandbox: "full" }],
    ["provider.baseUrl", { provider: { baseUrl: "no address" } }],
    ["writable.0", { writable: ["relative"] }],
  ])("refuses a wrong option: %s", (name, options) => {
    expect(refusal(options)).toContain("CONFIG_INVALID");
    expect(refusal(options)).toContain(name);
  });

  it("does not throw when it looks for a missing program", async () => {
    expect(await agent.probe({ command: "/no/codex" }, host)).toMatchObject({ installed: false });
  });
});

describe("the driver", () => {
  it("passes on the keys that Codex needs and no other secret", () => {
    const { passEnv } = codexDriver({ provider: { baseUrl: "http://x/v1", envKey: "LAB_KEY" } });
    expect(passEnv).toEqual(["CODEX_API_KEY", "LAB_KEY", "CODEX_HOME"]);
  });

  it("says for each policy whether it can be enforced", () => {
    const driver = codexDriver({});
    expect(driver.refuses?.({ deny: [{ kind: "execute", input: "rm" }] })).toContain("execute");
    expect(driver.refuses?.({ allow: [{ kind: "read" }, { kind: "search" }] })).toBeNull();
  });
});
