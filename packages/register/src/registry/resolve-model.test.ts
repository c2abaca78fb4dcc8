import { ok } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import type { Variables } from "./key-file.ts";
import { type ModelConfiguration, resolveModel } from "./resolve-model.ts";

const settings: ModelConfiguration = {
  providers: new Map([
    ["router", { baseUrl: "https://router.test/v1", apiKey: "$ROUTER_KEY" }],
    ["literal", { baseUrl: "https://literal.test/v1", apiKey: "sk-literal-1234" }],
    ["local", { baseUrl: "http://127.0.0.1:11434/v1", apiKey: null }],
  ]),
  models: new Map([["extract", { provider: "router", model: "vendor/small" }]]),
};

function variables(env: Record<string, string>): Variables {
  return (name) => ok(env[name] || null);
}

function refusal(reference: string, env: Record<string, string> = {}): string {
  const model = resolveModel(settings, reference, variables(env));
  if (model.ok) throw new Error("it was resolved");
  return `${model.error.code}: ${model.error.message}`;
}

describe("resolveModel", () => {
  it("looks for a key of config.models first, and takes the API key from the environment", () => {
    expect(resolveModel(settings, "extract", variables({ ROUTER_KEY: "sk-1" }))).toEqual({
      ok: true,
      value: { baseUrl: "https://router.test/v1", model: "vendor/small", apiKey: "sk-1" },
    });
  });

  it("accepts provider/model, where the provider ends at the first slash", () => {
    expect(resolveModel(settings, "local/a/b", variables({}))).toEqual({
      ok: true,
      value: { baseUrl: "http://127.0.0.1:11434/v1", model: "a/b", apiKey: null },
    });
    expect(resolveModel(settings, "literal/m", variables({}))).toMatchObject({
      value: { apiKey: "sk-literal-1234" },
    });
  });

  it("names the variable that is missing or empty, but no other key's value", () => {
    const wanted =
      'CONFIG_INVALID: the key of provider "router" is the environment variable ROUTER_KEY, which is not set';
    expect(refusal("extract")).toBe(wanted);
    expect(refusal("extract", { ROUTER_KEY: "" })).toBe(wanted);
  });

  it("names a provider that is not configured, and those that are", () => {
    expect(refusal("nowhere/m")).toBe(
      'CONFIG_INVALID: model "nowhere/m" needs provider "nowhere", which config.providers does not have (it has: router, literal, local)',
    );
  });

  it.each(["supervisor", "", "/m", "local/"])("refuses %j, which names no model", (reference) => {
    expect(refusal(reference)).toContain("is not a model");
  });
});
