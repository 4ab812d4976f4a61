const pollMs = 10

/** Far more than a busy machine needs. */
const defaultTimeoutMs = 60_000

/** Waits for a truthy result and returns it. @throws after `timeoutMs`, the condition's last error if any */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  timeoutMs = defaultTimeoutMs,
): Promise<NonNullable<T>> {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    let failure: unknown = new Error(`It did not come true within ${timeoutMs} ms: ${condition}`)
    try {
      const result = await condition()
      if (result) return result
    } catch (error) {
      failure = error
    }
    if (performance.now() > endMs) throw failure
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
