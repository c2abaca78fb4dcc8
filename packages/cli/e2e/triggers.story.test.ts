/** Triggers by the built command, with a real host. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { type Hosted, hosted } from "./hosted.test.helper.ts";
import { untilThreads } from "./until-thread.test.helper.ts";

let cli: Cli;
let host: Hosted;
beforeAll(async () => {
  cli = openCli();
  host = hosted(cli);
  await cli.addSteps("steps");
});
afterEach(async () => {
  await cli.run(["down"]);
});
afterAll(() => cli.close());

function folder(name: string): string {
  const made = join(cli.dir, name);
  mkdirSync(made);
  return made;
}

const started = (threads: readonly ThreadRecord[], trigger: string): ThreadRecord[] =>
  threads.filter(({ labels }) => labels.trigger === trigger);

/** The threads of a trigger by their prompts, once there are this many and all have ended. */
async function untilStarted(trigger: string, count: number): Promise<string[]> {
  const threads = await untilThreads(cli.root, (all) => {
    const found = started(all, trigger);
    const ended = found.filter(({ status }) => status === "completed");
    return ended.length >= count && ended.length === found.length ? found : null;
  });
  return threads.map(({ promptLine }) => promptLine ?? "").toSorted();
}

async function watch(name: string, path: string): Promise<unknown> {
  const words = ["--workflow", "steps", "-p", "Read {{ path }}"];
  return cli.json(["trigger", "add", name, "--watch", path, ...words]);
}

describe("a watched folder", () => {
  it("starts one thread for each new file, whatever becomes of the host", async () => {
    const inbox = folder("inbox");
    writeFileSync(join(inbox, "old"), "was there before");
    expect(await watch("inbox", "inbox")).toEqual({
      ...{ name: "inbox", hosted: false },
      notes: [expect.stringContaining("uncaged-workflow up")],
    });
    writeFileSync(join(inbox, "while-down"), "came while no host was up");
    await host.up();
    expect(await untilStarted("inbox", 1)).toEqual([`Read ${join(inbox, "while-down")}`]);
    writeFileSync(join(inbox, "second"), "2");
    await untilThreads(cli.root, (all) => (started(all, "inbox").length === 2 ? all : null));
    await host.kill();
    await host.up();
    writeFileSync(join(inbox, "third"), "3");
    expect(await untilStarted("inbox", 3)).toEqual(
      ["second", "third", "while-down"].map((name) => `Read ${join(inbox, name)}`),
    );
    const { files } = await cli.json<{ files: { file: string; state: string }[] }>([
      ...["trigger", "show", "inbox"],
    ]);
    expect(files.map(({ file, state }) => [file, state])).toEqual([
      ["second", "started"],
      ["third", "started"],
      ["while-down", "started"],
    ]);
  });

  it.runIf(process.platform === "linux")(
    "leaves a half-written file alone, and takes one that is renamed into place",
    async () => {
      const slow = folder("slow");
      await watch("slow", slow);
      await host.up();
      const fd = openSync(join(slow, "half"), "w");
      writeSync(fd, "the first half");
      writeFileSync(join(cli.dir, "elsewhere"), "all of it");
      renameSync(join(cli.dir, "elsewhere"), join(slow, "whole"));
      // It was created after the other file and waited as long.
      expect(await untilStarted("slow", 1)).toEqual([`Read ${join(slow, "whole")}`]);
      writeSync(fd, "the second half");
      closeSync(fd);
      expect(await untilStarted("slow", 2)).toEqual(
        ["half", "whole"].map((name) => `Read ${join(slow, name)}`),
      );
    },
  );

  it("is left alone while its trigger is paused, and forgotten with it", async () => {
    const resting = folder("resting");
    await watch("resting", resting);
    await watch("beside", resting);
    await cli.json(["trigger", "pause", "resting"]);
    await host.up();
    writeFileSync(join(resting, "a"), "1");
    await untilStarted("beside", 1);
    expect(await untilStarted("resting", 0)).toEqual([]);
    await cli.json(["trigger", "resume", "resting"]);
    expect(await untilStarted("resting", 1)).toHaveLength(1);
    await cli.json(["trigger", "rm", "resting"]);
    expect(await cli.fails(["trigger", "show", "resting"])).toMatchObject({
      ...{ exit: 1, code: "TRIGGER_NOT_FOUND" },
    });
  });

  it("can be tried out by hand", async () => {
    await watch("by-hand", folder("by-hand"));
    writeFileSync(join(cli.dir, "scan.bin"), Buffer.from([0xff, 0x00]));
    const { threadId } = await cli.json<{ threadId: string }>([
      ...["trigger", "run", "by-hand", "scan.bin"],
    ]);
    expect(await untilStarted("by-hand", 1)).toEqual([`Read ${join(cli.dir, "scan.bin")}`]);
    expect(threadId).toMatch(/^[0-9A-Z]{26}$/);
    expect(await cli.fails(["trigger", "run", "by-hand", "nowhere"])).toMatchObject({
      code: "FILE_NOT_FOUND",
    });
  });
});

describe("a webhook", () => {
  const words = ["--workflow", "steps", "-p", "{{ event }}: {{ payload.title }}"];

  it("says its secret once, and where deliveries arrive", async () => {
    const filter = ["--filter", "payload.action = 'opened'"];
    const added = await cli.json<{ secret: string; notes: string[] }>([
      ...["trigger", "add", "issues", "--webhook", ...filter, ...words],
    ]);
    expect(added.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(added.notes).toEqual([expect.stringContaining("deliveries arrive through a gateway")]);
    for (const shown of [
      ["trigger", "show", "issues"],
      ["trigger", "list"],
    ]) {
      expect(JSON.stringify(await cli.json(shown))).not.toContain(added.secret);
      expect((await cli.run(shown)).stdout).not.toContain(added.secret);
    }
    expect(readFileSync(join(cli.root, "workflow.yaml"), "utf8")).not.toContain(added.secret);
    const payload = join(cli.dir, "payload.json");
    writeFileSync(payload, JSON.stringify({ action: "opened", title: "It leaks" }));
    await cli.json(["trigger", "run", "issues", payload, "--event", "issues"]);
    expect(await untilStarted("issues", 1)).toEqual(["issues: It leaks"]);
    writeFileSync(payload, JSON.stringify({ action: "closed" }));
    expect(await cli.json(["trigger", "run", "issues", payload])).toEqual({ threadId: null });
    writeFileSync(payload, "[]");
    expect(await cli.fails(["trigger", "run", "issues", payload])).toMatchObject({
      code: "PAYLOAD_INVALID",
    });
  });
});

describe("a mistake", () => {
  const what = ["--workflow", "steps", "-p", "Read {{ path }}"];
  it.each([
    ["neither a folder nor a webhook", [], 2, "USAGE"],
    ["a folder and a webhook", ["--watch", ".", "--webhook"], 2, "USAGE"],
    ["a filter for files", ["--watch", ".", "--filter", "true"], 2, "USAGE"],
    ["a folder that is not there", ["--watch", "nowhere"], 2, "FILE_NOT_FOUND"],
    ["a prompt without the file", ["--watch", ".", "-p", "Read it"], 2, "USAGE"],
    ["a broken placeholder", ["--webhook", "-p", "Go {{ payload. }}"], 1, "RULE_INVALID"],
    ["a broken filter", ["--webhook", "--filter", "payload."], 1, "RULE_INVALID"],
    ["an impure filter", ["--webhook", "--filter", "$random() > 0"], 1, "RULE_INVALID"],
    ["an unknown workflow", ["--webhook", "--workflow", "nope"], 1, "WORKFLOW_NOT_FOUND"],
  ])("with %s adds nothing", async (_what, words, exit, code) => {
    const failed = await cli.fails(["trigger", "add", "new", ...what, ...words]);
    expect(failed).toMatchObject({ exit, code });
    expect(failed.hint).not.toBe("");
    expect(await cli.fails(["trigger", "show", "new"])).toMatchObject({
      code: "TRIGGER_NOT_FOUND",
    });
  });

  it("in a name, or a name that is taken, is reported", async () => {
    await cli.json(["trigger", "add", "taken", "--webhook", ...what]);
    expect(await cli.fails(["trigger", "add", "taken", "--webhook", ...what])).toMatchObject({
      ...{ exit: 2, code: "TARGET_EXISTS" },
    });
    expect(await cli.fails(["trigger", "add", "Not A Name", "--webhook", ...what])).toMatchObject({
      ...{ exit: 2, code: "USAGE" },
    });
    for (const verb of ["show", "pause", "resume", "rm"])
      expect(await cli.fails(["trigger", verb, "nope"])).toMatchObject({
        ...{ exit: 1, code: "TRIGGER_NOT_FOUND" },
      });
    expect(await cli.fails(["trigger", "run", "nope", "x"])).toMatchObject({
      ...{ exit: 1, code: "TRIGGER_NOT_FOUND" },
    });
  });
});
