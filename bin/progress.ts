import type { WriteStream } from 'node:tty'

/** A line that counts files on a terminal. Prints nothing where output goes elsewhere. */
export function progressLine(stream: Pick<WriteStream, 'isTTY' | 'write'>, label: string) {
  const everyFiles = 100
  return {
    show(files: number): void {
      if (stream.isTTY && files % everyFiles === 0) stream.write(`\r${label}: ${files} files`)
    },
    end(): void {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
