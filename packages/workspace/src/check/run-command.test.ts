import { execa } from "execa";
import { expect, test } from "vitest";
import { untilDrained } from "./run-command.ts";

test("a process that escaped and holds the output open holds nothing up", async () => {
  const child = execa("sh", ["-c", "sleep 30 & echo $!"], {
    ...{ stdout: "pipe", stderr: "pipe", buffer: false, reject: false, detached: true },
  });
  let escaped = "";
  child.stdout.on("data", (chunk: Uint8Array) => {
    escaped += Buffer.from(chunk).toString();
  });
  const started = performance.now();
  await untilDrained(child, 200);
  expect(performance.now() - started).toBeLessThan(5_000);
  process.kill(Number(escaped), "SIGKILL");
});
