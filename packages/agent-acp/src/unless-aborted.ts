/** Waits for a promise or the abort: then the result is null, and the promise's outcome is ignored. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const onAbort = (): void => resolve(null);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  promise.catch(() => {});
  return Promise.race([promise, aborted]).finally(() =>
    signal.removeEventListener("abort", onAbort),
  );
}
