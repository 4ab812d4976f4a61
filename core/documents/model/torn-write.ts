/**
 * Whether a file can be what a power cut left of the expected bytes: some blocks, or the end, are zeros or missing.
 */
export function isTornWrite(found: Buffer, promised: Buffer): boolean {
  return found.length <= promised.length && found.every((byte, at) => byte === 0 || byte === promised[at])
}
