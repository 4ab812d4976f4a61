/** A power cut can leave blocks of zeros, or a file without its end. */
export function isTornWrite(found: Buffer, expected: Buffer): boolean {
  return found.length <= expected.length && found.every((byte, at) => byte === 0 || byte === expected[at])
}
