import { setFlagsFromString } from 'node:v8'

/** In percent of what lives in a heap after a collection. */
const maxGrowth = 40

/**
 * V8 would let a heap grow to three times what lives in it before it collects, and keep that memory for
 * minutes. While many files are ingested, most of it is garbage; collecting it earlier takes no measurable time.
 */
export const limitHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${maxGrowth}`)
