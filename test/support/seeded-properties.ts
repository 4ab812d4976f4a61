import fc from 'fast-check'

// What is tried at random is the same in every run: what fails once fails again.
fc.configureGlobal({ seed: 1 })

export default fc

const factor = Number(process.env.PROPERTY_FACTOR ?? 1)
const offset = Number(process.env.PROPERTY_SEED ?? 0)

/**
 * How a costly property is tried. `PROPERTY_FACTOR=50 PROPERTY_SEED=7 npm test -- FILE` tries fifty times as many cases,
 * which begin elsewhere.
 */
export const tries = (numRuns: number, seed: number): { numRuns: number; seed: number } => ({
  numRuns: numRuns * factor,
  seed: seed + offset,
})
