import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { COUNTERS, GAUGES, HISTOGRAMS } from "./telemetry-sink.ts";

const PAGE = readFileSync(new URL("../../../../docs/telemetry.md", import.meta.url), "utf8");

it("has every metric that docs/telemetry.md names, and no other", () => {
  const named = [...PAGE.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, name]) => name).sort();
  expect(named).toEqual(Object.keys({ ...COUNTERS, ...GAUGES, ...HISTOGRAMS }).sort());
});
