const stepMs = 10

/**
 * Enough on a machine that others keep busy, and shorter than the pause between two scans of the disk, which would else
 * hide that something was not heard.
 */
const patienceMs = 20_000

/**
 * Waits for a condition, and gives back what it was.
 * @throws when it has not come true within `timeoutMs`; what it threw last, if it threw
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  timeoutMs = patienceMs,
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
    await new Promise((resolve) => setTimeout(resolve, stepMs))
  }
}
