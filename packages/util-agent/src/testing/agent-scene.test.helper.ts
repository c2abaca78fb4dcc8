/** Steps of an agent made from a fake driver, each test in an empty working directory. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AgentError,
  type EvidenceRequirement,
  failureFrom,
  type RoleResult,
  type Usage,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, vi } from "vitest";
import { z } from "zod";
import { createAgent } from "../agent/create-agent.ts";
import type { AgentOptions } from "../driver/agent-driver.ts";
import type { FakeDriver } from "./fake-driver.test.helper.ts";
import { fakeContext, fakeRuntime } from "./fake-runtime.ts";

/** The empty folder of the current test. */
export let cwd: string;

/** To be called by each file: one process runs many files, and loads this one once. */
export function inEmptyFolders(): void {
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "create agent "));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(cwd, { recursive: true });
  });
}

type Meta = { status: "done" | "stuck" };
export const schema: z.ZodType<Meta> = z.object({ status: z.enum(["done", "stuck"]) });
export const GOOD: string = 'I did it.\n```json\n{"status":"done"}\n```';
const TESTS: EvidenceRequirement = {
  name: "tests",
  kind: "execute",
  input: "^npm test$",
  after: "last_edit",
};
export const NEEDS_TESTS: { requiredEvidence: EvidenceRequirement[] } = {
  requiredEvidence: [TESTS],
};
export const usage = (inputTokens: number, costUsd: number | null = null): Usage => ({
  inputTokens,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd,
});

type Scene = {
  runtime?: ReturnType<typeof fakeRuntime>;
  options?: AgentOptions;
  ctx?: ReturnType<typeof fakeContext>;
};

export function play(driver: FakeDriver, scene: Scene = {}): Promise<RoleResult<Meta>> {
  const { runtime = fakeRuntime({ cwd }), ctx = fakeContext("Mend it."), options = {} } = scene;
  return createAgent(driver, options)("You code.", schema)(ctx, runtime);
}

export async function failed(driver: FakeDriver, scene: Scene = {}): Promise<AgentError> {
  const thrown = await play(driver, scene).catch((error: unknown) => error);
  if (thrown instanceof AgentError) return thrown;
  throw new Error(`not the failure of an agent: ${failureFrom(thrown, "INTERNAL").message}`);
}
