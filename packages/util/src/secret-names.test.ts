import { describe, expect, it } from "vitest";
import { redactor } from "./redactor.ts";
import { looksSecret } from "./secret-names.ts";

describe("a secret variable", () => {
  it.each([
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "NPM_AUTHTOKEN",
    "DB_PASSWORD",
    "my_secret",
    "AWS_SECRET_ACCESS_KEY",
    "PGPASSWORD",
    "MYSQL_PWD",
    "REDISCLI_AUTH",
    "SMTP_PASS",
    "npm_config__authToken",
    "CLIENTSECRET",
    "SENTRY_DSN",
    "SLACK_WEBHOOK_URL",
    "AZURE_STORAGE_CONNECTION_STRING",
    "GOOGLE_CREDENTIALS",
  ])("is recognized by its name: %s", (name) => expect(looksSecret(name)).toBe(true));

  it.each([
    "PATH",
    "KEYBOARD_LAYOUT",
    "TOKENIZERS_PARALLELISM",
    "SSH_AUTH_SOCK",
    "PWD",
    "OLDPWD",
    "COMPASS_DIR",
    "GIT_AUTHOR_NAME",
    "SSL_KEY_FILE",
    "GOOGLE_CREDENTIALS_PATH",
  ])("is not just any variable: %s", (name) => expect(looksSecret(name)).toBe(false));

  it("is removed from a text by its value, longest first", () => {
    const redact = redactor({
      env: { A_TOKEN: "sk-12345678", B_TOKEN: "sk-12345678-long", PATH: "/bin/abcd" },
    });
    expect(redact("x sk-12345678-long y sk-12345678 /bin/abcd")).toBe(
      "x [B_TOKEN] y [A_TOKEN] /bin/abcd",
    );
  });

  it("whose value is a common word leaves a text unchanged", () => {
    expect(redactor({ env: { A_TOKEN: "test" } })("npm test")).toBe("npm test");
  });
});
