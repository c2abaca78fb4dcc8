import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { identifyProcess, livenessOf, ownIdentity } from "./process-identity.ts";

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
    const { bootId, ...rest } = ownIdentity();
    const namespace = bootId.split("/")[1];
    expect(livenessOf({ ...rest, bootId: `another-boot/${namespace}` })).toBe("dead");
  });

  it("cannot tell about a process of another pid namespace", () => {
    const { bootId, ...rest } = ownIdentity();
    expect(livenessOf({ ...rest, bootId: `${bootId.split("/")[0]}/pid:[1]` })).toBe("unknown");
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
