import type { LiveLog } from "@uncaged/workflow-protocol";
import { DEFAULT_BOUNDS } from "@uncaged/workflow-store";
import {
  isText,
  liveLogCases,
  readEnd,
  readUntil,
  says,
  THREAD,
  textsOf,
} from "@uncaged/workflow-store/live-suite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../database/database.ts";
import { testRoot } from "../testing/test-root.ts";
import { postgresLiveLog } from "./postgres-live-log.ts";

let at: { url: string; root: string };
let machines: Database[] = [];
let logs: LiveLog[] = [];
beforeAll(async () => {
  at = await testRoot();
  machines = [await openDatabase(at), await openDatabase(at)];
});
beforeEach(async () => {
  logs = [];
  await machines[0]?.query("begin anew", { text: "TRUNCATE live_logs, live_batches" });
});
afterEach(() => Promise.all(logs.map((log) => log.close())));
afterAll(() => Promise.all(machines.map((machine) => machine.close())));

/** As the n-th machine sees it. */
function open(n = 0, bounds = DEFAULT_BOUNDS, url = at.url): LiveLog {
  const database = machines[n];
  if (database === undefined) throw new Error("there are two");
  const log = postgresLiveLog(database, { url, bounds });
  logs.push(log);
  return log;
}

test.each(liveLogCases)("$name", ({ run }) => run((bounds) => open(0, bounds)));

test("a reader on another machine gets what is said, as it is said", async () => {
  const isLast = (item: Parameters<typeof isText>[0]) => isText(item, "3");
  const reading = readUntil(open(1), { after: 0, isLast });
  const writer = open().writer({ threadId: THREAD, fence: 1 });
  for (const text of ["1", "2", "3"]) {
    writer.append(says(text));
    await open(1).last(THREAD);
  }
  expect(textsOf(await reading)).toEqual(["1", "2", "3"]);
});

test("a reader whose connection cannot listen gets it all the same, only later", async () => {
  const deaf = open(1, DEFAULT_BOUNDS, "postgres://127.0.0.1:1/none");
  const reading = readUntil(deaf, { after: 0, isLast: (item) => isText(item, "2") });
  const writer = open().writer({ threadId: THREAD, fence: 1 });
  writer.append(says("1"));
  writer.append(says("2"));
  expect(textsOf(await reading)).toEqual(["1", "2"]);
});

test("an owner that was replaced by another machine's is not heard any more", async () => {
  const [one, two] = [open(0), open(1)];
  const old = one.writer({ threadId: THREAD, fence: 1 });
  old.append(says("before"));
  await one.flush(THREAD);
  two.writer({ threadId: THREAD, fence: 2 }).append(says("new"));
  await two.flush(THREAD);
  old.append(says("late"));
  await one.flush(THREAD);
  expect(textsOf(await readEnd(two))).toEqual(["before", "new"]);
});

test("a batch whose answer was lost is written once", async () => {
  const [database] = machines;
  if (database === undefined) throw new Error("there are two");
  const twice: Database = {
    ...database,
    query: async (what, query) => {
      await database.query(what, query);
      return database.query(what, query);
    },
  };
  const log = postgresLiveLog(twice, { url: at.url });
  logs.push(log);
  const writer = log.writer({ threadId: THREAD, fence: 1 });
  for (const text of ["1", "2", "3"]) {
    writer.append(says(text));
    await log.flush(THREAD);
  }
  expect(textsOf(await readEnd(open(1)))).toEqual(["1", "2", "3"]);
});

test("what could not be written is a gap, and the run does not notice", async () => {
  const [database] = machines;
  if (database === undefined) throw new Error("there are two");
  let isAway = false;
  const shaky: Database = {
    ...database,
    query: (what, query) =>
      isAway ? Promise.reject(new Error("away")) : database.query(what, query),
  };
  const log = postgresLiveLog(shaky, { url: at.url });
  logs.push(log);
  const writer = log.writer({ threadId: THREAD, fence: 1 });
  const say = async (text: string) => {
    writer.append(says(text));
    await log.flush(THREAD);
  };
  await say("1");
  isAway = true;
  await say("2");
  await say("3");
  isAway = false;
  await say("4");
  const items = await readEnd(open(1));
  expect(textsOf(items)).toEqual(["1", "4"]);
  expect(items[1]).toEqual({ type: "gap", threadId: THREAD, from: 2, to: 3 });
});
