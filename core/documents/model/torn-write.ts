/** A power cut can leave blocks of zeros, or a file without its end. */
export function isTornWrite(found: Buffer, promised: Buffer): boolean {
  return found.length <= promised.length && found.every((byte, at) => byte === 0 || byte === promised[at])
}
