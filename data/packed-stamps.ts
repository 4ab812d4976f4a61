import type { FileStamp } from './tree/types.ts'

/** A stat and when the bytes were last verified: a change within the clock's granularity may not change the stat. */
export interface CheckedStamp extends FileStamp {
  lookedMs: number
}

/**
 * Numbers with a space between them. Times are the same for most files, so what equals the one before is left out; the time of
 * the last look is the difference to the last change.
 */
export function packStamp(stamp: CheckedStamp): string {
  const { dev, ino, size, uid, birthtimeMs, mtimeMs, ctimeMs, lookedMs } = stamp
  const modified = mtimeMs === birthtimeMs ? '' : mtimeMs
  const changed = ctimeMs === mtimeMs ? '' : ctimeMs
  return [dev, ino, size, uid, birthtimeMs, modified, changed, lookedMs - Math.trunc(ctimeMs)].join(' ')
}

export function unpackStamp(packed: string): CheckedStamp {
  const [dev, ino, size, uid, birth, modified, changed, looked] = packed.split(' ')
  const birthtimeMs = Number(birth)
  const mtimeMs = modified === '' ? birthtimeMs : Number(modified)
  const ctimeMs = changed === '' ? mtimeMs : Number(changed)
  return {
    dev: Number(dev),
    ino: Number(ino),
    birthtimeMs,
    size: Number(size),
    mtimeMs,
    ctimeMs,
    uid: Number(uid),
    lookedMs: Math.trunc(ctimeMs) + Number(looked),
  }
}
