import { describe, expect, it } from "vitest";
import { cliEnvironment, looksSecret } from "./cli-environment.ts";
import { redactor } from "./redact.ts";

const host = {
  PATH: "/bin",
  HOME: "/home/me",
  LC_ALL: "C.UTF-8",
  WORKFLOW_STORAGE_ROOT: "/store",
  UNCAGED_WORKFLOW_STORAGE_ROOT: "/other",
  UNCAGED_GATEWAY_TOKEN: "hidden",
  OPENAI_API_KEY: "hidden",
  NODE_OPTIONS: "--inspect",
  npm_config_registry: "x",
  EMPTY: undefined,
};

describe("cliEnvironment", () => {
  it("passes on what a program needs to work, and nothing else", () => {
    expect(cliEnvironment(host, {})).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      LC_ALL: "C.UTF-8",
      WORKFLOW_STORAGE_ROOT: "/store",
      UNCAGED_WORKFLOW_STORAGE_ROOT: "/other",
    });
  });

  it("passes on what is named, and sets what is given", () => {
    const env = cliEnvironment(host, { passEnv: ["OPENAI_API_KEY", "EMPTY"], env: { HOME: "/x" } });
    expect(env).toMatchObject({ OPENAI_API_KEY: "hidden", HOME: "/x" });
    expect(env).not.toHaveProperty("EMPTY");
  });

  it("passes on everything only when it is asked to", () => {
    const { EMPTY: _, ...all } = host;
    expect(cliEnvironment(host, { inheritEnv: "all" })).toEqual(all);
  });
});

describe("a secret variable", () => {
  it.each([
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "NPM_AUTHTOKEN",
    "DB_PASSWORD",
    "my_secret",
    "AWS_SECRET_ACCESS_KEY",
  ])("is told by its name: %s", (name) => expect(looksSecret(name)).toBe(true));

  it.each(["PATH", "KEYBOARD_LAYOUT", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK"])(
    "is not just any: %s",
    (name) => expect(looksSecret(name)).toBe(false),
  );

  it("is taken out of a text by its value, longest first", () => {
    const redact = redactor({
      A_TOKEN: "sk-12345678",
      B_TOKEN: "sk-12345678-long",
      PATH: "/bin/abcd",
    });
    expect(redact("x sk-12345678-long y sk-12345678 /bin/abcd")).toBe(
      "x [B_TOKEN] y [A_TOKEN] /bin/abcd",
    );
  });

  it("that is a common word leaves a text as it is", () => {
    expect(redactor({ A_TOKEN: "test" })("npm test")).toBe("npm test");
  });
});
