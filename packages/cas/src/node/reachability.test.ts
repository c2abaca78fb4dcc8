import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { encodeContent } from "./codec.ts";
import { markReachable } from "./reachability.ts";

const leaf = encodeContent("leaf");
const middle = encodeContent("middle", [leaf.hash]);
const root = encodeContent("root", [middle.hash, leaf.hash]);
const stranger = encodeContent("stranger");
const texts = new Map([leaf, middle, root, stranger].map(({ hash, text }) => [hash, text]));
const read = async (hash: string) => texts.get(hash) ?? null;

test("follows refs from the roots and nothing else", async () => {
  const { reachable, problems } = await markReachable([root.hash], read);
  expect(reachable).toEqual(new Set([root.hash, middle.hash, leaf.hash]));
  expect(problems).toEqual([]);
});

test("reads each blob once, however many refer to it", async () => {
  const seen: string[] = [];
  await markReachable([root.hash, middle.hash, root.hash], async (hash) => {
    seen.push(hash);
    return read(hash);
  });
  expect(seen.sort()).toEqual([root.hash, middle.hash, leaf.hash].sort());
});

test("a missing blob is reported with what refers to it", async () => {
  const orphan = encodeContent("orphan", ["EYHPV6X8XHTCS"]);
  const { problems } = await markReachable([orphan.hash, "D4KP4Y6MRRVJV"], async (hash) =>
    hash === orphan.hash ? orphan.text : null,
  );
  expect(problems).toHaveLength(2);
  expect(problems).toContainEqual({
    code: "CAS_MISSING",
    hash: "EYHPV6X8XHTCS",
    message: `blob EYHPV6X8XHTCS is missing (a reference of ${orphan.hash})`,
  });
  expect(problems).toContainEqual({
    code: "CAS_MISSING",
    hash: "D4KP4Y6MRRVJV",
    message: "blob D4KP4Y6MRRVJV is missing (a thread's start or head)",
  });
});

test("a damaged blob and one that is not a node are problems, and the walk continues", async () => {
  const damage = new WorkflowError(failure("CAS_CORRUPT", "bytes differ", ""));
  const { problems, reachable } = await markReachable([leaf.hash, middle.hash], async (hash) => {
    if (hash === leaf.hash) throw damage;
    return "no node";
  });
  expect(problems.map(({ code }) => code).sort()).toEqual(["CAS_CORRUPT", "CAS_NOT_A_NODE"]);
  expect(reachable.size).toBe(2);
});

test("a disk that fails otherwise ends the walk", async () => {
  const reading = markReachable([leaf.hash], async () => Promise.reject(new Error("EIO")));
  await expect(reading).rejects.toThrow("EIO");
});
