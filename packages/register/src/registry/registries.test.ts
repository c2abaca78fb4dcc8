import { describe, onTestFinished, test } from "vitest";
import { scratchFolder, scratchRegistry } from "../scratch.test.helper.ts";
import { registryCases } from "../suite.ts";
import { memoryRegistry } from "./memory-registry.ts";

describe.each([
  {
    name: "a registry in workflow.yaml",
    fresh: () => scratchRegistry(scratchFolder(onTestFinished)),
  },
  { name: "a registry in memory", fresh: memoryRegistry },
])("$name", ({ fresh }) => {
  test.each(registryCases)("$name", ({ run }) => run(fresh()));
});
