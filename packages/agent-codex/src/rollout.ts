/** What Codex records about a thread but does not print on stdout: where a command ran.
 *
 *  1. The file is Codex's own, `sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl`; it grows while we
 *     read.
 *  2. If a version records nothing about commands, it is unknown where they ran. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseJson } from "@uncaged/workflow-protocol";
import type { Environment } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { shellCommand } from "./shell-command.ts";

export type Rollout = {
  /** Skips what is there so far. */
  skip(thread: string | null): Promise<void>;
  /** Directory of the next command with this line. Never rejects; null: not recorded. */
  directoryOf(
    thread: string | null,
    command: { command: string; exit_code: number | null },
  ): Promise<string | null>;
};

/** It is recorded at about the same time as it is reported. */
const LOOKS = 20;
const LOOK_EVERY_MS = 50;
const MOST_READ_BYTES = 64 * 1024 * 1024;

export function sessionsIn(home: string | null, env: Environment): string {
  return join(home ?? env.CODEX_HOME ?? join(env.HOME ?? "", ".codex"), "sessions");
}

export function rollout(sessions: string): Rollout {
  let file: string | null = null;
  let read = 0;
  let rest = "";
  let told: Told[] = [];
  let tellsNothing = false;
  const readOn = async (thread: string | null): Promise<void> => {
    file ??= thread === null ? null : await fileOf(sessions, thread);
    if (file === null) return;
    const more = await textFrom(file, read);
    read += Buffer.byteLength(more);
    const lines = (rest + more).split("\n");
    rest = lines.pop() ?? "";
    told.push(...lines.flatMap(readLine));
  };
  return {
    async skip(thread) {
      await readOn(thread);
      told = [];
    },
    async directoryOf(thread, { command, exit_code }) {
      const line = shellCommand(command);
      for (let look = 0; look < (tellsNothing ? 1 : LOOKS); look++) {
        if (look > 0) await sleep(LOOK_EVERY_MS);
        await readOn(thread);
        const at = told.findIndex((each) => each.line === line && each.exitCode === exit_code);
        if (at !== -1) return told.splice(at, 1)[0]?.cwd ?? null;
      }
      tellsNothing = true;
      return null;
    },
  };
}

type Told = { line: string; exitCode: number | null; cwd: string };

function readLine(text: string): Told[] {
  if (!text.includes('"CommandExecution"')) return [];
  const parsed = ENDED.safeParse(parseJson(text));
  if (!parsed.success) return [];
  const { command, cwd, exit_code: exitCode } = parsed.data.payload.item;
  return [{ line: command.at(-1) ?? "", exitCode, cwd: pathOf(cwd) }];
}

const ENDED = z.object({
  type: z.literal("event_msg"),
  payload: z.object({
    type: z.literal("item_completed"),
    item: z.object({
      type: z.literal("CommandExecution"),
      command: z.array(z.string()),
      cwd: z.string(),
      exit_code: z.number().nullable().default(null),
    }),
  }),
});

function pathOf(cwd: string): string {
  if (!cwd.startsWith("file://")) return cwd;
  try {
    return fileURLToPath(cwd);
  } catch {
    return cwd;
  }
}

async function fileOf(sessions: string, thread: string): Promise<string | null> {
  const names = await readdir(sessions, { recursive: true }).catch(() => []);
  const name = names.find((each) => each.endsWith(`-${thread}.jsonl`));
  return name === undefined ? null : join(sessions, name);
}

/** Empty when it cannot be read, or the file is too long. */
async function textFrom(file: string, start: number): Promise<string> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return "";
  try {
    const { size } = await handle.stat();
    const length = Math.min(size - start, MOST_READ_BYTES);
    if (length <= 0) return "";
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, start);
    // An incomplete character is read the next time.
    const whole = buffer.lastIndexOf(10, bytesRead - 1) + 1;
    return buffer.toString("utf8", 0, whole);
  } catch {
    return "";
  } finally {
    await handle.close();
  }
}
