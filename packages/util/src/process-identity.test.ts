import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { identifyProcess, isStopped, livenessOf, ownIdentity } from "./process-identity.ts";

describe("process identity", () => {
  it("calls this process alive, and identifies it the same way each time", () => {
    expect(livenessOf(ownIdentity())).toBe("alive");
    expect(identifyProcess(process.pid)).toEqual(ownIdentity());
  });

  it("calls a process dead once it has ended", async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
    await once(child, "spawn");
    const identity = identifyProcess(child.pid ?? 0);
    if (identity === null) throw new Error("the child was not identified");
    expect(livenessOf(identity)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(livenessOf(identity)).toBe("dead");
    expect(identifyProcess(identity.pid)).toBeNull();
  });

  it("calls a process dead when its pid has been reused", () => {
    expect(livenessOf({ ...ownIdentity(), startedAt: "1" })).toBe("dead");
  });

  it("calls a process dead when the machine has restarted since", () => {
    const [, namespace, machine] = ownIdentity().bootId.split("/");
    const bootId = `another-boot/${namespace}/${machine}`;
    expect(livenessOf({ ...ownIdentity(), bootId })).toBe("dead");
  });

  it("cannot judge a process of another machine, whatever has its pid here", () => {
    const [, namespace] = ownIdentity().bootId.split("/");
    const elsewhere = `another-boot/${namespace}/another-machine`;
    expect(livenessOf({ ...ownIdentity(), bootId: elsewhere })).toBe("unknown");
    expect(livenessOf({ pid: 2 ** 22 + 1, startedAt: "1", bootId: elsewhere })).toBe("unknown");
  });

  it("cannot judge a process of another boot when its machine was not named", () => {
    const [boot, namespace] = ownIdentity().bootId.split("/");
    for (const bootId of [`another-boot/${namespace}`, `another-boot/${namespace}/unknown`])
      expect(livenessOf({ ...ownIdentity(), bootId })).toBe("unknown");
    // An identity of this boot from before machines were named.
    expect(livenessOf({ ...ownIdentity(), bootId: `${boot}/${namespace}` })).toBe("alive");
  });

  it("tells a stopped process from a running one", async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
    await once(child, "spawn");
    const identity = identifyProcess(child.pid ?? 0);
    if (identity === null) throw new Error("the child was not identified");
    expect(isStopped(identity)).toBe(false);
    child.kill("SIGSTOP");
    await expect.poll(() => isStopped(identity), { timeout: 10_000 }).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isStopped(identity)).toBe(false);
  });

  it("cannot judge a process of another pid namespace", () => {
    const [boot, , machine] = ownIdentity().bootId.split("/");
    const bootId = `${boot}/pid:[1]/${machine}`;
    expect(livenessOf({ ...ownIdentity(), bootId })).toBe("unknown");
  });

  it("calls a zombie dead", async () => {
    // A shell that replaced itself never reaps the child that it had started before.
    const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = await once(parent.stdout, "data");
    const zombie = identifyProcess(Number(String(line)));
    if (zombie === null) throw new Error("the child was not identified");
    await expect.poll(() => livenessOf(zombie), { timeout: 10_000 }).toBe("dead");
    expect(readFileSync(`/proc/${zombie.pid}/stat`, "utf8")).toContain(") Z ");
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });

  it("has no identity for an unused pid", () => {
    expect(identifyProcess(2 ** 22 + 1)).toBeNull();
  });
});
