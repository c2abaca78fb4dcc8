import { expect, it } from "vitest";
import { modelAddresses } from "./model-addresses.ts";

const LOGIN = ["console.anthropic.com:443", "platform.claude.com:443"];
const key = { ANTHROPIC_API_KEY: "x" };

it.each([
  ["Anthropic's own, with a key", key, ["api.anthropic.com:443"]],
  ["those of the login, without one", {}, ["api.anthropic.com:443", ...LOGIN]],
  ["the one that is set", { ...key, ANTHROPIC_BASE_URL: "https://a.b/v1" }, ["a.b:443"]],
  ["its port", { ...key, ANTHROPIC_BASE_URL: "https://a.b:8443" }, ["a.b:8443"]],
  ["one without TLS", { ...key, ANTHROPIC_BASE_URL: "http://127.0.0.1" }, ["127.0.0.1:80"]],
])("it is asked for %s", (_, env, expected) => {
  expect(modelAddresses(env)).toEqual({ ok: true, value: expected });
});

it.each([
  ["CLAUDE_CODE_USE_BEDROCK", "1"],
  ["HTTPS_PROXY", "http://proxy:1"],
  ["all_proxy", "socks5://proxy:1"],
  ["ANTHROPIC_BASE_URL", "a.b"],
])("it is not known with %s", (name, value) => {
  expect(modelAddresses({ ...key, [name]: value })).toEqual({
    ok: false,
    error: expect.stringContaining(name),
  });
});
