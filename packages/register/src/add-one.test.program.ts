/** Test process: `add-one.test.program.js <root> <bundle> …` adds each file as the next version of `flow`. */
import { type AddedWorkflow, addWorkflow } from "./add-workflow.ts";
import { scratchRegistry, UNCHECKED } from "./scratch.test.helper.ts";

const [, , root = "", ...files] = process.argv;
for (const file of files) {
  const added = await addWorkflow({
    root,
    packagesBase: import.meta.url,
    name: "flow",
    file,
    types: null,
    ...UNCHECKED,
    registry: scratchRegistry(root),
    nowMs: 1,
  });
  const value: AddedWorkflow | null = added.ok ? added.value : null;
  console.log(value?.hash ?? "failed");
}
