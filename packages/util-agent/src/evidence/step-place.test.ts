import { mkdir, mkdtemp, realpath, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCallRecord } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seenCall } from "../testing/fake-driver.test.helper.ts";
import { stepPlace } from "./step-place.ts";

let folder = "";
let repository = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "step place ")));
  repository = join(folder, "repository");
  await mkdir(join(repository, ".git"), { recursive: true });
  await mkdir(join(repository, "packages", "a"), { recursive: true });
  await mkdir(join(folder, "elsewhere"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(subject: string, about: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return seenCall({ kind: "execute", subject, ...about });
}

function edit(subject: string): ToolCallRecord {
  return seenCall({ kind: "edit", subject });
}

describe("where a command ran", () => {
  it("is the step's directory, whatever the path", async () => {
    await symlink(repository, join(folder, "link"));
    const { placeOf } = stepPlace(repository);
    expect(placeOf(run("npm test"))).toBe("here");
    expect(placeOf(run("npm test", { cwd: repository }))).toBe("here");
    expect(placeOf(run("npm test", { cwd: join(folder, "link") }))).toBe("here");
    expect(placeOf(run(`cd '${repository}' && npm test`))).toBe("here");
  });

  it("is elsewhere when the agent or the command says so", () => {
    const { placeOf } = stepPlace(repository);
    expect(placeOf(run("npm test", { cwd: join(folder, "elsewhere") }))).toBe("elsewhere");
    expect(placeOf(run("npm test", { cwd: join(repository, "packages", "a") }))).toBe("elsewhere");
    expect(placeOf(run("npm test", { cwd: join(folder, "gone") }))).toBe("elsewhere");
    expect(placeOf(run("cd packages/a && npm test", { cwd: repository }))).toBe("elsewhere");
  });

  it("is followed in a persistent shell, as far as possible", () => {
    const { placeOf } = stepPlace(repository);
    placeOf(run("cd packages"));
    expect(placeOf(run("npm test"))).toBe("elsewhere");
    placeOf(run("cd .. && ls"));
    expect(placeOf(run("npm test"))).toBe("here");
    placeOf(run("cd $SOMEWHERE"));
    expect(placeOf(run("npm test"))).toBe("unknown");
    expect(placeOf(run("npm test", { input: { shellId: "2" } })), "a new shell").toBe("here");
    expect(placeOf(run("npm test", { cwd: repository })), "told by the agent").toBe("here");
  });

  it.each(["npm() { :; }", "alias npm=true", "export PATH=.", ". ./env"])(
    "is not enough to know after %j in a persistent shell",
    (line) => {
      const { placeOf } = stepPlace(repository);
      placeOf(run(line));
      expect(placeOf(run("npm test"))).toBe("unknown");
      expect(placeOf(run(`cd ${repository} && npm test`))).toBe("unknown");
    },
  );

  it("is not a folder that replaced the step's directory", async () => {
    const place = stepPlace(repository);
    await rename(repository, join(folder, "real"));
    await symlink(join(folder, "elsewhere"), repository);
    expect(place.placeOf(run("npm test", { cwd: repository }))).toBe("elsewhere");
    expect(place.wasReplaced()).toBe(true);
    await rm(repository);
    await rename(join(folder, "real"), repository);
    expect(place.wasReplaced()).toBe(false);
  });
});

describe("where an edit was made", () => {
  it("is inside the step's repository, or outside it", async () => {
    await symlink(join(repository, "packages"), join(folder, "link"));
    const { placeOf } = stepPlace(join(repository, "packages", "a"));
    expect(placeOf(edit("x.ts"))).toBe("here");
    expect(placeOf(edit(join(repository, "new", "x.ts")))).toBe("here");
    expect(placeOf(edit(join(folder, "link", "x.ts")))).toBe("here");
    expect(placeOf(edit(join(folder, "elsewhere", "notes.md")))).toBe("elsewhere");
    expect(placeOf(edit(`${join(folder, "notes.md")}\n${join(repository, "x")}`))).toBe("here");
    expect(placeOf(edit(""))).toBe("here");
  });
});
