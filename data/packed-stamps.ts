import type { FileStamp } from './tree/types.ts'

/** `lookedMs`, when it was read, reveals a racy stamp: a change within the clock's granularity may keep the rest. */
export interface CheckedStamp extends FileStamp {
  lookedMs: number
}

/** Omits times that equal the one before, as in most files. `lookedMs` is relative to the last change. */
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
