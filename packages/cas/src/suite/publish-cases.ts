import assert from "node:assert/strict";
import type { Lease } from "@uncaged/workflow-protocol";
import { encodeContent } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { collidingTexts } from "./collision-pair.ts";
import { failsWith } from "./fails-with.ts";
import type { RootStoreCase } from "./root-store-case.ts";
import {
  allAreThere,
  hashesOf,
  moveTo,
  ORIGIN,
  ownedThread,
  publishAll,
  sampleSteps,
} from "./sample-steps.ts";

/** Steps: how they are published, and how they reach their final place. */
export const publishCases: readonly RootStoreCase[] = [
  {
    name: "publishes a step's nodes together with the head, and returns the pending signals",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      await threads.signal(lease.threadId, "pause", 1);
      const step = sampleSteps(1).last;
      assert.deepEqual(await store.publish(step.nodes, moveTo(lease, step)), ["pause"]);
      assert.equal((await threads.get(lease.threadId))?.head, step.state.hash);
      await allAreThere(store, step.nodes);
    },
  },
  {
    name: "stores nothing of a step whose head may not move",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      const step = sampleSteps(1).last;
      const late = { ...moveTo(lease, step), fence: lease.fence + 1 };
      await failsWith("LEASE_LOST", store.publish(step.nodes, late));
      const elsewhere = { ...moveTo(lease, step), from: hashBytes("another head") };
      await failsWith("TRANSITION_INVALID", store.publish(step.nodes, elsewhere));
      assert.equal(await store.flush(), null);
      assert.deepEqual(await store.list(), []);
      assert.equal((await threads.get(lease.threadId))?.head, ORIGIN);
    },
  },
  {
    name: "moves no head to a step that collides with another content",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      const [first, second] = collidingTexts;
      const hash = await store.put(first);
      const step = sampleSteps(1).last;
      const publishing = store.publish([encodeContent(second), ...step.nodes], moveTo(lease, step));
      await failsWith("CAS_COLLISION", publishing);
      assert.equal((await threads.get(lease.threadId))?.head, ORIGIN);
      assert.equal(await store.get(hash), encodeContent(first).text);
      assert.equal(await store.get(step.state.hash), null);
    },
  },
  {
    name: "publishes a step of any length",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      const step = sampleSteps(1).last;
      const long = encodeContent("long ".repeat(200_000));
      await store.publish([long, ...step.nodes], moveTo(lease, step));
      await allAreThere(store, [long, ...step.nodes]);
      assert.equal(await store.flush(), null);
      await allAreThere(store, [long, ...step.nodes]);
    },
  },
  {
    name: "publishes a move to another bundle, and a head that replaces one",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      const steps = sampleSteps(3);
      const [upgrade, poked, next] = [steps.at(0), steps.at(1), steps.last];
      const bundleHash = hashBytes("another bundle");
      await store.publish(upgrade.nodes, {
        ...moveTo(lease, upgrade),
        kind: "upgrade",
        bundleHash,
      });
      assert.equal((await threads.get(lease.threadId))?.bundleHash, bundleHash);
      await store.publish(poked.nodes, { ...moveTo(lease, poked, upgrade), kind: "replace" });
      const standing = await threads.get(lease.threadId);
      assert.ok(standing?.status === "running");
      assert.equal(standing.replaced?.head, upgrade.state.hash);
      await store.publish(next.nodes, moveTo(lease, next, poked));
      const thread = await threads.get(lease.threadId);
      assert.ok(thread?.status === "running");
      assert.equal(thread.replaced, null);
      assert.equal(thread.bundleHash, bundleHash);
    },
  },
  {
    name: "publishes steps of many threads at once, and of those a refused one fails alone",
    async run({ store, threads }) {
      const leases: Lease[] = [];
      for (let n = 0; n < 8; n += 1) leases.push(await ownedThread(threads, n));
      const steps = sampleSteps(8);
      const outcomes = await Promise.allSettled(
        leases.map((lease, n) => {
          const move = moveTo(lease, steps.at(n));
          return store.publish(steps.at(n).nodes, n === 3 ? { ...move, fence: 99 } : move);
        }),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status === "fulfilled"),
        leases.map((_, n) => n !== 3),
      );
      for (const [n, { nodes, state }] of steps.all.entries()) {
        if (n === 3) assert.equal(await store.get(state.hash), null);
        else await allAreThere(store, nodes);
      }
    },
  },
  {
    name: "reads every step while it is flushed, and after it",
    async run({ store, threads, reopen }) {
      const lease = await ownedThread(threads);
      const nodes = await publishAll(store, lease, sampleSteps(70));
      const flushing = store.flush();
      await allAreThere(store, nodes);
      assert.equal(await flushing, null);
      assert.equal(await store.flush(), null);
      for (const each of [store, reopen()]) {
        await allAreThere(each, nodes);
        assert.deepEqual(await each.list(), hashesOf(nodes));
        assert.equal((await each.getMany(hashesOf(nodes))).size, nodes.length);
      }
    },
  },
  {
    name: "recovers what the last owner of a thread left, and loses nothing of it",
    async run({ store, threads, reopen }) {
      const lease = await ownedThread(threads);
      const steps = sampleSteps(5);
      const nodes = await publishAll(store, lease, steps);
      const next = reopen();
      await next.recover(steps.last.state.hash);
      assert.equal(await next.flush(), null);
      await allAreThere(next, nodes);
      assert.deepEqual(await next.check([steps.last.state.hash]), {
        ok: true,
        checked: nodes.length,
        problems: [],
      });
      // Nothing is left to be flushed, and a thread without steps has nothing to flush.
      await reopen().recover(steps.last.state.hash);
      await reopen().recover(ORIGIN);
    },
  },
  {
    name: "continues past a damaged blob when it recovers what was left",
    async run({ store, threads, reopen, damage }) {
      const lease = await ownedThread(threads);
      const steps = sampleSteps(3);
      await publishAll(store, lease, steps);
      const rotten = steps.at(0).state.hash;
      await damage(rotten, Buffer.from("rot"));
      const next = reopen();
      await next.recover(steps.last.state.hash);
      assert.equal(await next.flush(), null);
      await failsWith("CAS_CORRUPT", next.get(rotten));
      await allAreThere(next, steps.last.nodes);
    },
  },
  {
    name: "has everything in its place when it is closed",
    async run({ store, threads, reopen }) {
      const lease = await ownedThread(threads);
      const nodes = await publishAll(store, lease, sampleSteps(3));
      await store.close();
      await allAreThere(reopen(), nodes);
    },
  },
];
