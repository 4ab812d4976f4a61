const defaultConcurrency = 8

/** Runs `work` for all items. @throws the first error, once all running ones have ended */
export async function mapConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
  concurrency = defaultConcurrency,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  for await (const item of items) {
    if (failure) break
    const run: Promise<void> = work(item)
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => running.delete(run))
    running.add(run)
    if (running.size === concurrency) await Promise.race(running)
  }
  await Promise.all(running)
  if (failure) throw (failure as { error: unknown }).error
}
