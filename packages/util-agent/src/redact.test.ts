import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

const redact = redactor({});

/** Put together here, so that nobody takes this file for a leak. */
const made = (prefix: string): string => `${prefix}${"a1B2c3D4e5".repeat(4)}`;

describe("redactor", () => {
  it("takes out the values of secret variables, the longest first", () => {
    const known = redactor({
      A_TOKEN: "abcdefgh",
      B_KEY: "abcdefghij",
      HOME: "/home/me",
      C_KEY: "short",
    });
    expect(known("abcdefghij abcdefgh /home/me short")).toBe("[B_KEY] [A_TOKEN] /home/me short");
  });

  it.each([
    "sk-",
    "sk-ant-api03-",
    "ghp_",
    "github_pat_",
    "glpat-",
    "npm_",
    "xoxb-",
    "AKIA",
    "AIza",
  ])("knows a secret that begins with %s by its looks", (prefix) => {
    expect(redact(`curl -H "Authorization: Bearer ${made(prefix)}" x`)).toMatch(
      /^curl -H "Authorization: Bearer [\w-]+\[secret\]" x$/,
    );
  });

  it("takes out private keys, and secrets in files of variables", () => {
    const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----";
    expect(redact(`a\n${key}\nb`)).toBe("a\n[RSA PRIVATE KEY]\nb");
    expect(redact('PORT=80\nDB_PASSWORD="hunter22222"\nexport MY_API_KEY=abc12345\n')).toBe(
      "PORT=80\nDB_PASSWORD=[secret]\nexport MY_API_KEY=[secret]\n",
    );
  });

  it.each([
    "const apiKey = process.env.API_KEY;",
    "API_KEY=$OTHER_KEY_OF_MINE",
    "the task-list and disk-usage",
    "sk-learn",
    "KEYBOARD=dvorak-programmer",
  ])("leaves alone what is no secret: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    ["prefixes", "sk-".repeat(300_000)],
    ["beginnings of keys", "-----BEGIN PRIVATE KEY-----".repeat(30_000)],
    ["names of variables", "A".repeat(900_000)],
    ["names that are never given a value", "KEY".repeat(300_000)],
    ["values without end", `A_KEY=${"x".repeat(900_000)}`],
  ])("does not hang on 1 MB of %s", (_name, text) => {
    const before = performance.now();
    redact(text);
    expect(performance.now() - before).toBeLessThan(3_000);
  });
});
