import { expect, it } from "vitest";
import { serviceFile } from "./service-file.ts";

const SERVICE = {
  home: "/home/ann",
  command: ["/usr/bin/node", "/opt/a b/$uwf.mjs", "up"],
  environment: [
    ["WORKFLOW_STORAGE_ROOT", '/data/100%/$x"\\'],
    ["PATH", "/bin:/a&b"],
  ] as const,
};

it("is a systemd unit in which all special characters are escaped", () => {
  expect(serviceFile({ ...SERVICE, platform: "linux" })).toEqual({
    path: "/home/ann/.config/systemd/user/uncaged-workflow.service",
    start:
      "systemctl --user daemon-reload && systemctl --user enable --now uncaged-workflow.service",
    text: String.raw`[Unit]
Description=uncaged-workflow host

[Service]
ExecStart="/usr/bin/node" "/opt/a b/$$uwf.mjs" "up"
Environment="WORKFLOW_STORAGE_ROOT=/data/100%%/$x\"\\"
Environment="PATH=/bin:/a&b"
Restart=on-failure
KillMode=process

[Install]
WantedBy=default.target
`,
  });
});

it("is a property list of launchd", () => {
  const file = serviceFile({ ...SERVICE, platform: "darwin" });
  expect(file?.path).toBe("/home/ann/Library/LaunchAgents/dev.uncaged.workflow.plist");
  expect(file?.text).toContain("    <string>/opt/a b/$uwf.mjs</string>\n    <string>up</string>\n");
  expect(file?.text).toContain("    <key>PATH</key>\n    <string>/bin:/a&amp;b</string>\n");
});

it("is empty where there is neither", () => {
  expect(serviceFile({ ...SERVICE, platform: "win32" })).toBeNull();
});
