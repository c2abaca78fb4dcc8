import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { liveLogCases } from "../live-suite.ts";
import { fileLiveLog } from "./file-live-log.ts";
import { memoryLiveLog } from "./memory-live-log.ts";

const home = mkdtempSync(join(tmpdir(), "uwf-live-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each(liveLogCases)("a live log in memory $name", async ({ run }) => {
  await run(memoryLiveLog);
});

let roots = 0;
test.each(liveLogCases)("a live log in files $name", async ({ run }) => {
  await run((bounds) => {
    roots += 1;
    const root = join(home, `${roots}`);
    return fileLiveLog({
      folder: (threadId) => join(root, threadId),
      boot: () => "this boot",
      bounds,
    });
  });
});
