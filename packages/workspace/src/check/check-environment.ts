import { createHash } from "node:crypto";
import { dirname, join } from "node:path";

/** What a run sees of this machine. */
export type CheckPlaces = {
  /** Folders of programs, before that of this Node and those of the system. */
  path?: readonly string[] | undefined;
  /** More variables, chosen by whoever runs the engine or wrote the workflow, never by an agent. None takes the place of
   *  `PATH`, `HOME` or `TMPDIR`. */
  variables?: Readonly<Record<string, string>> | undefined;
};

const SYSTEM_PATH = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/opt/homebrew/bin",
];

/** The whole environment of a run. `folder` has the empty home and the folder for temporary files. */
export function checkEnvironment(places: CheckPlaces, folder: string): Record<string, string> {
  return {
    LANG: "C.UTF-8",
    TZ: "UTC",
    SHELL: "/bin/sh",
    USER: "check",
    LOGNAME: "check",
    // Runners do not wait for changes, and write no new snapshots.
    CI: "true",
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
    ...places.variables,
    PATH: [...(places.path ?? []), dirname(process.execPath), ...SYSTEM_PATH].join(":"),
    HOME: join(folder, "home"),
    TMPDIR: join(folder, "tmp"),
  };
}

/** SHA-256 (hex) of a value of JSON. */
export function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
