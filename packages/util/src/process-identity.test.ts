import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { identifyProcess, isStopped, livenessOf, ownIdentity } from "./process-identity.ts";

describe("process identity", () => {
  it("calls ourselves alive, and names us the same way each time", () => {
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

  it("calls a process dead when its pid has another owner now", () => {
    expect(livenessOf({ ...ownIdentity(), startedAt: "1" })).toBe("dead");
  });

  it("calls a process dead when the machine has restarted since", () => {
    const [, namespace, machine] = ownIdentity().bootId.split("/");
    const bootId = `another-boot/${namespace}/${machine}`;
    expect(livenessOf({ ...ownIdentity(), bootId })).toBe("dead");
  });

  it("cannot tell about a process of another machine, whatever has its pid here", () => {
    const [, namespace] = ownIdentity().bootId.split("/");
    const elsewhere = `another-boot/${namespace}/another-machine`;
    expect(livenessOf({ ...ownIdentity(), bootId: elsewhere })).toBe("unknown");
    expect(livenessOf({ pid: 2 ** 22 + 1, startedAt: "1", bootId: elsewhere })).toBe("unknown");
  });

  it("cannot tell about another boot where the machine was not named", () => {
    const [boot, namespace] = ownIdentity().bootId.split("/");
    for (const bootId of [`another-boot/${namespace}`, `another-boot/${namespace}/unknown`])
      expect(livenessOf({ ...ownIdentity(), bootId })).toBe("unknown");
    // An identity from before machines were named, of this boot.
    expect(livenessOf({ ...ownIdentity(), bootId: `${boot}/${namespace}` })).toBe("alive");
  });

  it("knows a process that is stopped from one that runs", async () => {
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

  it("cannot tell about a process of another pid namespace", () => {
    const [boot, , machine] = ownIdentity().bootId.split("/");
    const bootId = `${boot}/pid:[1]/${machine}`;
    expect(livenessOf({ ...ownIdentity(), bootId })).toBe("unknown");
  });

  it("calls a zombie dead", async () => {
    // A shell that replaced itself never collects the child that it had started before.
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

  it("has no identity for a pid that nobody has", () => {
    expect(identifyProcess(2 ** 22 + 1)).toBeNull();
  });
});
