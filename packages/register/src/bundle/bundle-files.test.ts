import { describe, expect, it } from "vitest";
import { bundleFiles, outputFiles } from "./bundle-files.ts";

describe("the files of a stored bundle", () => {
  it("are in a folder named after its hash", () => {
    expect(bundleFiles("/root", "0123456789ABC")).toEqual({
      folder: "/root/bundles/0123456789ABC",
      bundle: "/root/bundles/0123456789ABC/bundle.esm.js",
      descriptor: "/root/bundles/0123456789ABC/descriptor.json",
      build: "/root/bundles/0123456789ABC/build.json",
      types: "/root/bundles/0123456789ABC/types.d.ts",
      manifest: "/root/bundles/0123456789ABC/package.json",
      yaml: "/root/bundles/0123456789ABC/flow.yaml",
    });
  });

  it("refuse anything but a hash", () => {
    expect(() => bundleFiles("/root", "../../etc")).toThrow("is not a hash");
  });
});

describe("the files of a build", () => {
  it.each([
    ["dist/flow.esm.js", "dist/flow"],
    ["dist/flow.js", "dist/flow"],
    ["dist/flow.mjs", "dist/flow"],
    ["dist/flow", "dist/flow"],
    ["dist.js/flow.v2.esm.js", "dist.js/flow.v2"],
  ])("of %s begin with %s", (bundle, stem) => {
    expect(outputFiles(bundle)).toEqual({
      bundle,
      descriptor: `${stem}.descriptor.json`,
      build: `${stem}.build.json`,
      sourceMap: `${bundle}.map`,
    });
  });
});
