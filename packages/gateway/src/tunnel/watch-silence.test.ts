import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SILENT_MS } from "./tunnel-limits.ts";
import { watchSilence } from "./watch-silence.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

test("silence is counted from the last beat, and told once", () => {
  const onSilent = vi.fn();
  const silence = watchSilence(onSilent);
  vi.advanceTimersByTime(SILENT_MS - 1_000);
  silence.heard();
  vi.advanceTimersByTime(SILENT_MS);
  expect(onSilent).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect(onSilent).toHaveBeenCalledTimes(1);
});

test("a clock that is set an hour forward ends nothing, one that is set back hides nothing", () => {
  const onSilent = vi.fn();
  watchSilence(onSilent);
  vi.setSystemTime(Date.now() + HOUR_MS);
  vi.advanceTimersByTime(SILENT_MS - 1_000);
  expect(onSilent).not.toHaveBeenCalled();
  vi.setSystemTime(Date.now() - 2 * HOUR_MS);
  vi.advanceTimersByTime(3_000);
  expect(onSilent).toHaveBeenCalledTimes(1);
});

test("nothing is told after it was closed", () => {
  const onSilent = vi.fn();
  watchSilence(onSilent).close();
  vi.advanceTimersByTime(10 * SILENT_MS);
  expect(onSilent).not.toHaveBeenCalled();
});
