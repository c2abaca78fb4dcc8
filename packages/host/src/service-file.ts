/** The description of the host as a service of its user, for systemd or launchd.
 *
 *  A service starts with almost no environment, so the file sets the variables by which agents and their programs are
 *  found, and no others: keys belong in the storage root's `.env`. */
import { join } from "node:path";

export type ServiceFile = {
  path: string;
  text: string;
  /** Shell commands that start the service now and at every login. */
  start: string;
};

export type Service = {
  platform: NodeJS.Platform;
  home: string;
  /** Program and its arguments. */
  command: readonly string[];
  /** Names and values. */
  environment: readonly (readonly [string, string])[];
};

/** null: the platform has neither. */
export function serviceFile(service: Service): ServiceFile | null {
  if (service.platform === "linux") return systemdUnit(service);
  return service.platform === "darwin" ? launchdPlist(service) : null;
}

const UNIT = "uncaged-workflow.service";
const LABEL = "dev.uncaged.workflow";

function systemdUnit({ home, command, environment }: Service): ServiceFile {
  const variables = environment.map(
    ([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`,
  );
  const lines = [
    "[Unit]",
    "Description=uncaged-workflow host",
    "",
    "[Service]",
    `ExecStart=${command.map(commandWord).join(" ")}`,
    ...variables,
    "Restart=on-failure",
    // A host that is ended ends its workers itself; one that is killed leaves them to the next.
    "KillMode=process",
    "",
    "[Install]",
    "WantedBy=default.target",
  ];
  return {
    path: join(home, ".config", "systemd", "user", UNIT),
    text: `${lines.join("\n")}\n`,
    start: `systemctl --user daemon-reload && systemctl --user enable --now ${UNIT}`,
  };
}

/** In a command, `$` is special as well. */
function commandWord(word: string): string {
  return systemdWord(word).replaceAll("$", "$$$$");
}

/** `%` is special in a unit. */
function systemdWord(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped.replaceAll("%", "%%")}"`;
}

function launchdPlist({ home, command, environment }: Service): ServiceFile {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xmlText(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${environment.map(([name, value]) => `    <key>${xmlText(name)}</key>\n    <string>${xmlText(value)}</string>`).join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`;
  const path = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  return { path, text, start: `launchctl bootstrap gui/$(id -u) ${JSON.stringify(path)}` };
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
