/** Whether the tests run as sources, under a loader, or as they were built. */
export const isSource = import.meta.url.endsWith('.ts')

/** What Node is started with to run our code in another process. */
export const loaderArguments: readonly string[] = isSource ? ['--import', 'tsx'] : []

/**
 * The address of a module in the form that runs.
 * @param path of its source, relative to `base`
 * @param base `import.meta.url` of the asking file
 */
export const moduleAddress = (path: string, base: string): string =>
  new URL(isSource ? path : path.replace(/\.ts$/, '.js'), base).href
