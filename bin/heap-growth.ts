import { setFlagsFromString } from 'node:v8'

/** In percent of what lives in a heap after a collection. */
const maxGrowth = 40

/**
 * V8 lets a heap of this size grow to three times of what lives in it before it collects, and keeps that memory for minutes. While
 * many files are ingested, most of it is garbage; to collect it earlier takes no measurable time.
 */
export const limitHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${maxGrowth}`)
