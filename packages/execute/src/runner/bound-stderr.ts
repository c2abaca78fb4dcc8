/** How much a runner and its bundle may write to stderr before the rest is dropped. */
const MAX_BYTES = 1024 * 1024;

/** Bounds this process's stderr: it goes to a log file, and a bundle that floods it must not fill the disk. */
export function boundStderr(): void {
  const write = process.stderr.write.bind(process.stderr);
  let left = MAX_BYTES;
  process.stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    left -= chunk.length;
    const callback = rest.find((argument) => typeof argument === "function");
    if (left < 0) {
      callback?.();
      return true;
    }
    return write(chunk, () => callback?.());
  };
}
