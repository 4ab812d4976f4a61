/** A power cut leaves some blocks, or the end, as zeros or missing. */
export function isTornWrite(found: Buffer, promised: Buffer): boolean {
  return found.length <= promised.length && found.every((byte, at) => byte === 0 || byte === promised[at])
}
