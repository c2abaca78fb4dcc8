import { describe, expect, it } from "vitest";
import { changeSettings, type SettingsChange } from "./edit-settings.ts";
import { parseRegistry } from "./parse-registry.ts";
import type { RegistryFile } from "./registry.ts";

function fileOf(text: string): RegistryFile {
  const file = parseRegistry(text, "workflow.yaml");
  if (!file.ok) throw new Error(file.error.message);
  return file.value;
}

function edited(text: string, change: SettingsChange): string {
  return changeSettings(fileOf(text), change).file.text;
}

const ALL: SettingsChange = {
  providers: { router: { baseUrl: "https://router.test/v1", apiKey: "$ROUTER_KEY" } },
  models: { extract: "router/vendor/m" },
  agents: { mine: { package: "my-agent", options: { depth: 2, tools: ["read"] } } },
  supervisorInterval: 5,
  defaultAgent: "mine",
};

describe("changing the configuration", () => {
  it("writes it from nothing", () => {
    expect(edited("", ALL)).toBe(
      `config:
  providers:
    router:
      baseUrl: https://router.test/v1
      apiKey: $ROUTER_KEY
  models:
    extract: router/vendor/m
  agents:
    mine:
      package: my-agent
      options:
        depth: 2
        tools:
          - read
  supervisorInterval: 5
  defaultAgent: mine
`,
    );
  });

  it("leaves comments, further keys and other names alone", () => {
    const before = `# mine
config:
  providers:
    # the cheap one
    router: { baseUrl: "https://old.test/v1", apiKey: $OLD, team: platform }
    other: { baseUrl: "http://127.0.0.1:1" }
  models: { supervisor: router/s } # not the dear one
workflows: {}

# the end
`;
    expect(
      edited(before, { providers: ALL.providers ?? {}, models: { extract: "router/m" } }),
    ).toBe(
      `# mine
config:
  providers:
    # the cheap one
    router: { baseUrl: "https://router.test/v1", apiKey: $ROUTER_KEY, team: platform }
    other: { baseUrl: "http://127.0.0.1:1" }
  models: { supervisor: router/s, extract: router/m } # not the dear one
workflows: {}

# the end
`,
    );
  });

  it("removes a key that is no longer wanted", () => {
    const before = edited("", ALL);
    const keyless = { providers: { router: { baseUrl: "http://127.0.0.1:1", apiKey: null } } };
    const after = changeSettings(fileOf(before), keyless).file;
    expect(after.registry.settings.providers.get("router")).toEqual(keyless.providers.router);
    expect(after.text).not.toContain("apiKey");
  });

  it("returns the very same file when nothing changes", () => {
    const file = fileOf(edited("", ALL));
    expect(changeSettings(file, ALL).file).toBe(file);
    expect(changeSettings(file, {}).file).toBe(file);
  });

  it("has the requested meaning afterwards, whatever the texts are", () => {
    const odd = { "a: b": { package: "@x/y#z", options: { "k: v": "yes", no: "1" } } };
    const { settings } = changeSettings(fileOf("config: {}"), { agents: odd }).file.registry;
    expect(settings.agents.get("a: b")).toEqual(odd["a: b"]);
  });
});
