import type { RandomBytes } from '../core/ids.ts'

/** The random part differs per process. */
export function requestIds(random: RandomBytes): () => string {
  const processPart = Buffer.from(random(6)).toString('hex')
  let count = 0
  return () => {
    count += 1
    return `req_${processPart}${count.toString(36).padStart(6, '0')}`
  }
}
