/** Waits for a promise, but no longer than this. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
