import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Often enough that a process filling memory as fast as it can gets only a few hundred megabytes further. */
const LOOK_EVERY_MS = 25;

/** Watches a process from outside, however busy it is, and reports once that it uses more memory than allowed. V8's
 *  heap limit covers neither buffers nor WebAssembly; a limit on the address space would include what V8 reserves
 *  and never uses. Returns a function that stops watching. */
export function watchMemory(
  pid: number | undefined,
  { maxBytes, onMore }: { maxBytes: number; onMore: () => void },
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let over = pid === undefined;
  const look = async (): Promise<void> => {
    const bytes = await residentBytes(pid ?? 0);
    if (over) return;
    if (bytes > maxBytes) onMore();
    else timer = setTimeout(look, LOOK_EVERY_MS);
  };
  if (!over) timer = setTimeout(look, LOOK_EVERY_MS);
  return () => {
    over = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** 0 when unknown, as for a process that has ended. */
async function residentBytes(pid: number): Promise<number> {
  try {
    if (process.platform === "linux") {
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    }
    return 1024 * Number(await resident(pid));
  } catch {
    return 0;
  }
}

function resident(pid: number): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("ps", ["-o", "rss=", "-p", String(pid)], (cause, stdout) =>
      cause === null ? resolve(stdout.trim()) : reject(cause),
    );
  });
}
