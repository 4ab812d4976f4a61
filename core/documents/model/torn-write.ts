/**
 * Whether a file can be what a power cut leaves of the bytes that were promised: some of its blocks, or its end, did not
 * reach the disk, and are zeros or missing.
 */
export function isTornWrite(found: Buffer, promised: Buffer): boolean {
  return found.length <= promised.length && found.every((byte, at) => byte === 0 || byte === promised[at])
}
