/** What a newcomer has: npm, an empty folder outside this repository, and the packages as they are published. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { servePackages } from "./packed-registry.test.helper.ts";
import { linkCommand, runBash, type ShellRun } from "./shell.test.helper.ts";

export type Newcomer = {
  /** Home, and where scripts run. */
  folder: string;
  /** Where npm installs globally; its commands are on PATH. */
  global: string;
  shell(script: string): Promise<ShellRun>;
  /** The output of a script that must succeed. */
  succeeds(script: string): Promise<string>;
  /** The JSON document that it prints. */
  json<T>(script: string): Promise<T>;
  close(): void;
};

/** `published`: the registry has our packages, and none is installed yet. `linked`: it has none, and the command of
 *  this repository is on PATH, as `npm run link` puts it there; `nowhere`: not even that. */
export async function openNewcomer({
  ours = "published",
}: {
  ours?: "published" | "linked" | "nowhere";
} = {}): Promise<Newcomer> {
  const folder = mkdtempSync(join(tmpdir(), "uwf-newcomer-"));
  mkdirSync(join(folder, "tarballs"));
  const registry =
    RELEASED === undefined
      ? await servePackages(ours === "published" ? join(folder, "tarballs") : null)
      : { url: RELEASED, close: () => undefined };
  const global = join(folder, "global");
  if (ours === "linked" && RELEASED === undefined) linkCommand(join(global, "bin"));
  const path = [join(global, "bin"), dirname(process.execPath), process.env.PATH];
  const env = {
    ...networkSettings(),
    PATH: path.join(delimiter),
    HOME: folder,
    npm_config_prefix: global,
    ...(RELEASED === undefined ? cachesFor(ours) : { npm_config_cache: join(folder, "npm-cache") }),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    "npm_config_@uncaged:registry": registry.url,
  };
  const shell = (script: string): Promise<ShellRun> => runBash(script, { cwd: folder, env });
  const succeeds = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await shell(script);
    if (code !== 0) throw new Error(`exit ${code} of:\n${script}\n${stdout}\n${stderr}`);
    return stdout;
  };
  if (ours === "linked" && RELEASED !== undefined) await succeeds(INSTALL);
  return {
    folder,
    global,
    shell,
    succeeds,
    async json<T>(script: string): Promise<T> {
      const document: T = JSON.parse(await succeeds(script));
      return document;
    },
    close() {
      registry.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A registry with our packages, for trying the walks before a release. */
export const RELEASED: string | undefined = process.env.UNCAGED_TEST_REGISTRY;
const INSTALL = "npm install --global @uncaged/cli-workflow";

/** Published third-party packages never change, so they are fetched once for all tests. */
const CACHES = fileURLToPath(new URL("../../../.cache/newcomer/", import.meta.url));
const SHARED_CACHES = {
  npm_config_cache: join(CACHES, "npm"),
  XDG_DATA_HOME: join(CACHES, "data"),
  XDG_CACHE_HOME: join(CACHES, "cache"),
};

/** The newest version of our own packages is never read from a cache: each test has its own registry, and two of them
 *  may get the same port one after the other. */
function cachesFor(ours: "published" | "linked" | "nowhere"): NodeJS.ProcessEnv {
  return ours === "published"
    ? SHARED_CACHES
    : { ...SHARED_CACHES, npm_config_prefer_offline: "true" };
}

/** How this machine reaches a registry: npm's own settings, proxies, certificates. */
function networkSettings(): NodeJS.ProcessEnv {
  const settings =
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(?:https?|no|all)_proxy|npm_config_(?:registry|cafile|globalconfig))$/i;
  const found = Object.entries(process.env).filter(([name]) => settings.test(name));
  return { ...Object.fromEntries(found), npm_config_userconfig: join(homedir(), ".npmrc") };
}
