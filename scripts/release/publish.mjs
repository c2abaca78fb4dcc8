import { spawnSync } from "node:child_process";
import { DevError } from "../dev/dev-error.mjs";
import { npmCommand } from "../dev/npm.mjs";

/** Publishes packed packages in this order; those that the registry has in this version are passed over. `registry`:
 *  its URL, for one that asks for no log-in; null: npm's own settings say which, and who we are. */
export function publish(packages, { registry, provenance, say }) {
  const at = registry === null ? [] : [`--registry=${registry}`, anyone(registry)];
  for (const { name, version, file } of packages) {
    if (npm(["view", `${name}@${version}`, "version", ...at]).stdout.trim() === version) {
      say(`${name} ${version} is published already`);
      continue;
    }
    const flags = ["--access=public", ...(provenance ? ["--provenance"] : []), ...at];
    const { ok, output } = npm(["publish", file, ...flags]);
    if (!ok) throw new DevError(`${name} ${version} was not published:\n${output}`, WHAT_NEXT);
    say(`${name} ${version}`);
  }
}

const WHAT_NEXT = "Mend that and run the release again: what is published already is passed over.";

/** npm wants a token before it asks a registry at all. */
function anyone(registry) {
  return `--${registry.replace(/^https?:/, "")}:_authToken=anyone`;
}

function npm(args) {
  const { command, args: before, shell } = npmCommand();
  const { status, stdout, stderr } = spawnSync(command, [...before, ...args], {
    encoding: "utf8",
    shell,
  });
  return { ok: status === 0, stdout: stdout ?? "", output: `${stdout}${stderr}`.trim() };
}
