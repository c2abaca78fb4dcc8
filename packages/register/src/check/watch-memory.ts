import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Often enough that a process which fills memory as fast as it can takes a few hundred megabytes more at most. */
const LOOK_EVERY_MS = 25;

/** Looks at a process from outside, however busy it is, and says once that it takes more memory than it may. The heap
 *  limit of V8 holds neither buffers nor WebAssembly; a limit of the address space would hold what V8 reserves and
 *  never uses. Gives the way to stop. */
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

/** 0 when nobody knows, as of a process that has ended. */
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
