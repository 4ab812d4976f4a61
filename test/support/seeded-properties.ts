import fc from 'fast-check'

// Every run tries the same random values, so that a failure repeats.
fc.configureGlobal({ seed: 1 })

export default fc

const factor = Number(process.env.PROPERTY_FACTOR ?? 1)
const offset = Number(process.env.PROPERTY_SEED ?? 0)

/** The runs of a costly property; with `PROPERTY_FACTOR=50 PROPERTY_SEED=7` 50 times as many other cases. */
export const runParameters = (numRuns: number, seed: number): { numRuns: number; seed: number } => ({
  numRuns: numRuns * factor,
  seed: seed + offset,
})
