import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "./redactor.ts";

const redact = redactor({ env: {} });

/** Built here, so that nobody takes this file for a leak. */
const made = (prefix: string): string => `${prefix}${"a1B2c3D4e5".repeat(4)}`;

describe("redactor", () => {
  it("removes the values of secret variables, the longest first", () => {
    const known = redactor({
      env: { A_TOKEN: "abcdefgh", B_KEY: "abcdefghij", HOME: "/home/me", C_KEY: "short" },
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
  ])("recognizes a secret that begins with %s", (prefix) => {
    expect(redact(`curl -H "Authorization: Bearer ${made(prefix)}" x`)).toMatch(
      /^curl -H "Authorization: Bearer [\w-]+\[secret\]" x$/,
    );
  });

  it("removes private keys, and secrets in files of variables", () => {
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
  ])("leaves alone what is not a secret: %s", (text) => {
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

/** As `openssl` and `ssh-keygen` write them; the letters belong to no real key. */
const BODY = `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDEx4mPleL9y2Km\n".repeat(3)}pT1q+Zw=`;
const pem = (kind: string, headers = ""): string =>
  `-----BEGIN ${kind}-----\n${headers}${BODY}\n-----END ${kind}-----`;
const KEYS: readonly [kind: string, key: string][] = [
  ["PRIVATE KEY", pem("PRIVATE KEY")],
  ["ENCRYPTED PRIVATE KEY", pem("ENCRYPTED PRIVATE KEY")],
  [
    "RSA PRIVATE KEY",
    pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F3A\n\n"),
  ],
  ["EC PRIVATE KEY", pem("EC PRIVATE KEY")],
  ["OPENSSH PRIVATE KEY", pem("OPENSSH PRIVATE KEY")],
  ["PGP PRIVATE KEY BLOCK", pem("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n")],
];
const SECRET_PARTS = ["MIIEvQIBADANBgkqh", "pT1q+Zw="];

describe("a private key", () => {
  it.each(KEYS)("%s is removed, alone, numbered, indented, in JSON, or cut off", (kind, key) => {
    const lines = key.split("\n");
    const forms = [
      `a\n${key}\nb`,
      `a\r\n${key.replaceAll("\n", "\r\n")}\r\nb`,
      `a\n${lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join("\n")}\nb`,
      `a\n${lines.map((line) => `    ${line}`).join("\n")}\nb`,
      JSON.stringify({ a: "a", key, b: "b" }),
      JSON.stringify(JSON.stringify({ a: "a", key, b: "b" })),
      `a\n${lines.slice(0, -1).join("\n")}\n--- b ---\n`,
    ];
    for (const form of forms) {
      const shown = redact(form);
      expect(shown).toContain(`[${kind}]`);
      for (const part of SECRET_PARTS) expect(shown, form).not.toContain(part);
      expect(shown).toContain("a");
      expect(shown).toContain("b");
    }
  });

  it("that a program's source only mentions is not a key", () => {
    const source = 'if (text.includes("-----BEGIN PRIVATE KEY-----")) {\n  return text;\n}\n';
    expect(redact(source)).toBe('if (text.includes("[PRIVATE KEY]")) {\n  return text;\n}\n');
  });
});

const MULTI_LINE = "first-line of it\nsecond-line, too\nend";
const known = redactor({
  env: {
    PGPASSWORD: "hunter2hunter2",
    SIGNING_KEY: MULTI_LINE,
    QUOTED_SECRET: 'with "quotes" & blanks/ü',
    DATABASE_URL: "postgres://app:p%40ssw0rd-x@db/app",
    LOCAL_URL: "postgres://postgres:postgres@db/postgres",
    DEBUG_TOKEN: "true",
  },
  values: ["literal-of-the-config"],
});
const TOLD: readonly string[] = [
  "hunter2hunter2",
  'with "quotes" & blanks/ü',
  "literal-of-the-config",
];

describe("a known secret", () => {
  it.each(TOLD)("is found bare, escaped and encoded: %s", (secret) => {
    const forms: readonly [name: string, text: string][] = [
      ["bare", secret],
      ["JSON", JSON.stringify({ a: secret })],
      ["JSON in JSON", JSON.stringify(JSON.stringify({ a: secret }))],
      ["address", `https://h/?q=${encodeURIComponent(secret)}`],
      ["form", new URLSearchParams({ q: secret }).toString()],
      ["hex", Buffer.from(secret).toString("hex")],
      ...["", "u:", "us:", "usr:"].flatMap((user): [string, string][] => [
        [`base64 behind ${user}`, Buffer.from(user + secret).toString("base64")],
        [`base64url behind ${user}`, Buffer.from(user + secret).toString("base64url")],
        [`base64 of a line behind ${user}`, Buffer.from(`${user}${secret}\n`).toString("base64")],
      ]),
    ];
    for (const [name, text] of forms) {
      const shown = known(`x ${text} y`);
      expect(shown, name).toMatch(/\[(?:secret|[A-Z_]+)\]/);
      expect(shown, name).not.toContain(text);
      const [, left = ""] = /^x (.*) y$/s.exec(shown) ?? [];
      expect(left.replaceAll(/\[\w+\]/g, "").length, `${name}: ${shown}`).toBeLessThan(16);
    }
  });

  it("of several lines is found line by line, short ones only after the line before them", () => {
    expect(known("echo second-line, too; the end")).toBe("echo [SIGNING_KEY]; the end");
    expect(known(`a\n${MULTI_LINE}\nb`)).not.toMatch(/line|end/);
    expect(known(JSON.stringify({ a: MULTI_LINE }))).not.toMatch(/line|end/);
    expect(known(Buffer.from(MULTI_LINE).toString("base64"))).toMatch(/^\[SIGNING_KEY\]$/);
  });

  it("may be the password in a URL, encoded or decoded", () => {
    expect(known("psql postgres://app:p%40ssw0rd-x@db/app")).not.toContain("ssw0rd");
    expect(known("password is p@ssw0rd-x")).toBe("password is [DATABASE_URL]");
    expect(known("the postgres server says true")).toBe("the postgres server says true");
  });

  it.each([
    "docker run -e PGPASSWORD=hunter3x img",
    "Authorization: Basic dXNlcjpodW50ZXIzeA==",
    '{"api_key": "a1b2c3d4e5f6a1b2"}',
    "tool --token a1b2c3d4e5f6a1b2",
    "git clone https://me:hunter3x@host/r.git",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.hunter3xhunter3x",
    'declare -x DB_PASSWORD="two hunter3x words"',
    "MYSQL_PWD='hunter3x'",
  ])("has a known shape in: %s", (text) => {
    expect(redact(text)).not.toMatch(/hunter3x|dXNlcj|a1b2c3/);
  });

  it.each([
    'const token = "nextPageToken";',
    "Authorization: Bearer $TOKEN",
    "DB_PASSWORD=<your password>",
    'password: "must be given"',
    "git clone https://user:$TOKEN@host/r.git",
    "commit 95de007b66f5c21ffb71c0f52b54cdac65712345",
  ])("has no known shape in: %s", (text) => expect(redact(text)).toBe(text));
});

/** The same text, cut at these positions. */
function inPieces(text: string, cuts: readonly number[]): string {
  const stream = known.stream();
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  let shown = "";
  let at = 0;
  for (const place of places) {
    shown += stream.push(text.slice(at, place)) + (place % 2 === 0 ? stream.pause() : "");
    at = place;
  }
  return shown + stream.push(text.slice(at)) + stream.end();
}

describe("a stream", () => {
  const text = [
    "some words, and the key: hunter2hunter2 it is",
    MULTI_LINE,
    'token ghp_a1B2c3D4e5a1B2c3D4e5a1B2 and with "quotes" & blanks/ü too',
    pem("ENCRYPTED PRIVATE KEY"),
    `export DB_PASSWORD=hunter3x ${Buffer.from("hunter2hunter2").toString("base64")}`,
    "the last words",
  ].join("\n");

  it("shows no secret, however it is cut and whenever it pauses", { timeout: 60_000 }, () => {
    const secrets = /hunter|line|quotes|a1B2c3|MIIEvQ|pT1q|aHVudGVy/;
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 200 }), (cuts) => {
        const shown = inPieces(text, cuts);
        expect(shown).not.toMatch(secrets);
        expect(shown.startsWith("some words, and the key: [PGPASSWORD] it is\n")).toBe(true);
        expect(shown.endsWith("the last words")).toBe(true);
      }),
    );
    for (let at = 0; at < text.length; at++) expect(inPieces(text, [at])).not.toMatch(secrets);
  });

  it("returns text without secrets unchanged, however it is cut", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
        const stream = known.stream();
        const shown = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
        expect(shown).toBe(pieces.join(""));
      }),
    );
  });

  it("removes a secret that the end of the stream cuts off", () => {
    expect(known("the key: hunter2hunt")).toBe("the key: [secret]");
  });

  it("shows words as they arrive, and holds back only what may become a secret", () => {
    const stream = known.stream();
    expect(stream.push("almost done")).toBe("almost ");
    expect(stream.pause()).toBe("done");
    expect(stream.push(" hunter2")).toBe(" ");
    expect(stream.pause()).toBe("");
    expect(stream.push("hunter2 x")).toBe("[PGPASSWORD] ");
  });

  it("holds a bounded part of an endless line", () => {
    const stream = known.stream();
    let shown = 0;
    let most = 0;
    const piece = "x".repeat(1_000);
    for (let pushed = 1_000; pushed <= 2_000_000; pushed += 1_000) {
      shown += stream.push(piece).length;
      most = Math.max(most, pushed - shown);
    }
    expect(most).toBeLessThan(200_000);
    expect(shown + stream.end().length).toBe(2_000_000);
  });
});
