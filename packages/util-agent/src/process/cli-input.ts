import type { Writable } from "node:stream";

export type CliInput = {
  /** False when the program has stopped reading. Never rejects. */
  write(text: string): Promise<boolean>;
  close(): void;
  destroy(): void;
};

/** A program's stdin. A program may close it early, or never read it; that is not an error. */
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
