import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { link, parseLink } from "./link.mjs";

let folder;
let root;
let bin;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-link-")));
  root = join(folder, "it's a clone");
  bin = join(folder, "prefix/bin");
  mkdirSync(join(root, "packages/cli/bin"), { recursive: true });
  for (const name of ["uncaged-workflow", "uwf"]) {
    const code = "console.log(JSON.stringify([process.execPath, ...process.argv.slice(2)]));";
    writeFileSync(join(root, "packages/cli/bin", `${name}.mjs`), code);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args) =>
  link({
    root,
    node: process.execPath,
    asked: parseLink(["--prefix", join(folder, "prefix"), ...args]),
    env: { PATH: "/usr/bin" },
  }).join("\n");
/** Run where no Node is on the PATH. */
const call = (name, ...args) =>
  spawnSync(join(bin, name), args, { encoding: "utf8", env: { PATH: "/bin:/usr/bin" } });

test("both names run the clone's command, by the Node that they were linked with", () => {
  expect(run()).toContain(`export PATH='${bin}':"$PATH"`);
  for (const name of ["uncaged-workflow", "uwf"]) {
    const { stdout } = call(name, "run", "a b", "$HOME", "");
    expect(JSON.parse(stdout)).toEqual([process.execPath, "run", "a b", "$HOME", ""]);
  }
});

test("linking again replaces what an earlier clone linked", () => {
  run();
  writeFileSync(join(bin, "uwf"), readFileSync(join(bin, "uwf"), "utf8").replace("clone'", "old'"));
  run();
  expect(call("uwf").status).toBe(0);
});

test("the link is taken away by the command that linking names, and nothing else is", () => {
  writeFileSync(join(folder, "keep"), "");
  expect(run()).toContain(`npm run link -- --remove --prefix '${join(folder, "prefix")}'`);
  writeFileSync(join(bin, "other"), "");
  run("--remove");
  expect([existsSync(join(bin, "uwf")), existsSync(join(bin, "uncaged-workflow"))]).toEqual([
    false,
    false,
  ]);
  expect(existsSync(join(bin, "other"))).toBe(true);
  expect(run("--remove")).toContain("nothing to take away");
});

test("a command of another origin is neither replaced nor removed, and its neighbour is not written", () => {
  mkdirSync(bin, { recursive: true });
  symlinkSync("../lib/nowhere.mjs", join(bin, "uwf"));
  expect(() => run()).toThrow(`${join(bin, "uwf")} is there already`);
  expect(() => run("--remove")).toThrow("is not a link of a clone");
  expect(existsSync(join(bin, "uncaged-workflow"))).toBe(false);
});

test("a folder that cannot be written to is named, with the way around it", () => {
  writeFileSync(join(folder, "prefix"), "a file");
  let thrown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown.message).toContain(`cannot write to ${bin}`);
  expect(thrown.hint).toContain("npm run link -- --prefix ~/.local");
});

test("a link whose clone has gone says so", () => {
  run();
  rmSync(root, { recursive: true });
  const { status, stderr } = call("uwf", "--version");
  expect([status, stderr]).toEqual([2, expect.stringContaining("uwf: the clone is gone")]);
});

test("a Node that has gone is replaced by the one on the PATH", () => {
  run();
  const file = join(bin, "uwf");
  writeFileSync(file, readFileSync(file, "utf8").replace(process.execPath, "/nowhere/node"));
  const env = { PATH: `${join(process.execPath, "..")}:/bin` };
  const { stdout } = spawnSync(file, ["x"], { encoding: "utf8", env });
  expect(JSON.parse(stdout)).toEqual([process.execPath, "x"]);
});

test("what it does not know is refused", () => {
  expect(() => parseLink(["--prefx", "x"])).toThrow("--prefx");
});
