import { expect, test } from "vitest";
import { fitsNodeRange } from "./toolchain.mjs";

test.each(["22.18.0", "22.20.1", "24.11.0", "26.0.0", "26.10.0", "27.1.0"])(
  "Node %s is taken as it is",
  (version) => expect(fitsNodeRange(version)).toBe(true),
);

test.each(["18.20.0", "20.20.2", "22.17.9", "23.11.0", "24.10.0", "25.2.0"])(
  "Node %s is replaced",
  (version) => expect(fitsNodeRange(version)).toBe(false),
);
