import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acpProgram } from "./acp-program.ts";
import { agentHome } from "./private-home.ts";

let user: string;
let home: string;
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), "acp-user-"));
  home = mkdtempSync(join(tmpdir(), "acp-home-"));
});
afterEach(() => {
  for (const folder of [user, home]) rmSync(folder, { recursive: true, force: true });
});

test("the agent gets its own folder, with the user's login and nothing else of theirs", async () => {
  mkdirSync(join(user, ".codex"));
  writeFileSync(join(user, ".codex/auth.json"), "token");
  writeFileSync(join(user, ".codex/config.toml"), "mine");
  const program = acpProgram({ preset: "codex" });
  const made = await agentHome(program, { home, env: { HOME: user } });
  expect(made).toEqual({ env: { CODEX_HOME: home }, login: true });
  expect(readdirSync(home)).toEqual(["auth.json"]);
  // A token renewed by the agent is renewed for the user as well.
  writeFileSync(join(home, "auth.json"), "renewed");
  expect(readFileSync(join(user, ".codex/auth.json"), "utf8")).toBe("renewed");
  expect(await agentHome(program, { home, env: { HOME: user } })).toEqual(made);
});

test("folders are the owner's alone", async () => {
  const { env } = await agentHome(acpProgram({ preset: "opencode" }), {
    home,
    env: { HOME: user },
  });
  expect(Object.keys(env)).toEqual(["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]);
  for (const folder of Object.values(env)) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("with the user's configuration nothing is moved", async () => {
  const program = acpProgram({ preset: "codex", config: "user" });
  expect(await agentHome(program, { home, env: { HOME: user } })).toEqual({
    env: {},
    login: false,
  });
  expect(readdirSync(home)).toEqual([]);
});

test("settings that stop a project from speaking for the user are written again each time", async () => {
  const program = acpProgram({ preset: "qwen" });
  const where = { home, env: { HOME: user } };
  await agentHome(program, where);
  const path = join(home, "settings.json");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    security: { folderTrust: { enabled: true } },
  });
  writeFileSync(path, "the agent's own by now");
  await agentHome(program, where);
  expect(readFileSync(path, "utf8")).toContain("folderTrust");
});
