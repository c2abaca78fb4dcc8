import { patchFileTool } from "./patch-file.ts";
import type { ReactConfig } from "./react-config.ts";
import { readFileTool } from "./read-file.ts";
import { shellExecTool } from "./shell-exec.ts";
import type { Tool } from "./tool.ts";
import { writeFileTool } from "./write-file.ts";

export function toolsOf({ shell = true }: Pick<ReactConfig, "shell">): readonly Tool[] {
  const files = [readFileTool, writeFileTool, patchFileTool];
  return shell ? [...files, shellExecTool] : files;
}
