import type { Writable } from "node:stream";

export type CliInput = {
  /** False when the program reads no more. Never rejects. */
  write(text: string): Promise<boolean>;
  close(): void;
  destroy(): void;
};

/** A program's stdin. It may be closed early, or never be read: that is the program's right, and no error of ours. */
export function cliInput(stdin: Writable | null, onWrite: () => void): CliInput {
  stdin?.on("error", () => {});
  return {
    write: (text) => {
      onWrite();
      if (stdin === null || !stdin.writable) return Promise.resolve(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      stdin.write(text, (fault) => resolve(fault == null));
      return promise;
    },
    close: () => stdin?.end(),
    destroy: () => stdin?.destroy(),
  };
}
