import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseRunnerReport } from "./runner-report.ts";

const MODULE = new URL("../../dist/runner/runner-report.js", import.meta.url).href;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runner-report-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the report of a runner", () => {
  it("reaches the starter", async () => {
    const script = join(folder, "runner.mjs");
    await writeFile(
      script,
      `import { tellStarter } from ${JSON.stringify(MODULE)};
tellStarter({ kind: "ready" });`,
    );
    const [message] = await once(fork(script), "message");
    expect(parseRunnerReport(message)).toEqual({ kind: "ready" });
  });

  it("is lost if the starter has just died, and the runner continues", async () => {
    const [script, gate] = [join(folder, "runner.mjs"), join(folder, "gate")];
    // It is busy, so it does not notice that nobody is at the other end.
    await writeFile(
      script,
      `import { existsSync } from "node:fs";
import { tellStarter } from ${JSON.stringify(MODULE)};
process.send("up");
while (!existsSync(${JSON.stringify(gate)}));
if (!process.connected) throw new Error("it noticed");
tellStarter({ kind: "ready" });
setImmediate(() => process.exit(7));`,
    );
    const runner = fork(script, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const exit = once(runner, "exit");
    await once(runner, "message");
    runner.disconnect();
    await writeFile(gate, "");
    expect(await exit).toEqual([7, null]);
  });

  it("that cannot be parsed is a failed start", () => {
    for (const message of [null, "ready", { kind: "failed", failure: { code: "NO_SUCH" } }])
      expect(parseRunnerReport(message)).toMatchObject({
        kind: "failed",
        failure: { code: "RUNNER_FAILED" },
      });
  });
});
