import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Maps positions in built files to their sources. Node's own option would slow down every test. */
export function mapToSources(text: string): string {
  const positions = new SourcePositions()
  return text
    .replace(/((?:file:\/\/)?[^\s()'"]+\.js):(\d+):(\d+)/g, (built, file, line, column) => {
      const position = positions.at(file, Number(line), Number(column))
      return position ? `${position.file}:${position.line}:${position.column}` : built
    })
    .replace(
      /fileName: (\S+\.js)(\s+)lineNumber: (\d+)(\s+)columnNumber: (\d+)/g,
      (built, file, before, line, between, column) => {
        const position = positions.at(file, Number(line), Number(column))
        if (!position) return built
        return `fileName: ${position.file}${before}lineNumber: ${position.line}${between}columnNumber: ${position.column}`
      },
    )
}

/** Finds positions of built files in their sources. Lines and columns count from 1. */
export class SourcePositions {
  private readonly maps = new Map<string, SourceMap | null>()
  private readonly lineStarts = new Map<string, number[]>()

  /** @param address a path or URL @returns null if the file has no map */
  at(address: string, line: number, column: number): { file: string; line: number; column: number } | null {
    const file = pathOf(address)
    const map = cached(this.maps, file, mapOf)
    const entry = map?.findEntry(line - 1, column - 1)
    if (!entry || !('originalSource' in entry)) return null
    const source = relative('.', resolve(dirname(file), entry.originalSource))
    return { file: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  }

  /** @param offset in characters, from 0 */
  atOffset(address: string, offset: number): ReturnType<SourcePositions['at']> {
    const starts = cached(this.lineStarts, pathOf(address), lineStartsOf)
    let [line, next] = [0, starts.length]
    while (next - line > 1) {
      const middle = Math.floor((line + next) / 2)
      if (starts[middle]! <= offset) line = middle
      else next = middle
    }
    return this.at(address, line + 1, offset - starts[line]! + 1)
  }
}

const pathOf = (address: string) => resolve(address.startsWith('file://') ? fileURLToPath(address) : address)

function cached<Value>(values: Map<string, Value>, file: string, read: (file: string) => Value): Value {
  if (!values.has(file)) values.set(file, read(file))
  return values.get(file)!
}

const lineStartsOf = (file: string): number[] => [
  0,
  ...[...readFileSync(file, 'utf8').matchAll(/\n/g)].map(({ index }) => index + 1),
]

function mapOf(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
