import { describe, expect, it } from "vitest";
import { cliEnvironment } from "./cli-environment.ts";

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

  it("passes on named variables, and sets given ones", () => {
    const env = cliEnvironment(host, { passEnv: ["OPENAI_API_KEY", "EMPTY"], env: { HOME: "/x" } });
    expect(env).toMatchObject({ OPENAI_API_KEY: "hidden", HOME: "/x" });
    expect(env).not.toHaveProperty("EMPTY");
  });

  it("passes on everything only when asked to", () => {
    const { EMPTY: _, ...all } = host;
    expect(cliEnvironment(host, { inheritEnv: "all" })).toEqual(all);
  });
});
