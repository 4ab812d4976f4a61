import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Maps positions in built files to their sources. Node's own option would slow down every test. */
export function mapToSources(text: string): string {
  const maps = new Map<string, SourceMap | null>()
  return text
    .replace(/((?:file:\/\/)?[^\s()'"]+\.js):(\d+):(\d+)/g, (built, file, line, column) => {
      const position = sourcePosition(maps, file, Number(line), Number(column))
      return position ? `${position.file}:${position.line}:${position.column}` : built
    })
    .replace(
      /fileName: (\S+\.js)(\s+)lineNumber: (\d+)(\s+)columnNumber: (\d+)/g,
      (built, file, before, line, between, column) => {
        const position = sourcePosition(maps, file, Number(line), Number(column))
        if (!position) return built
        return `fileName: ${position.file}${before}lineNumber: ${position.line}${between}columnNumber: ${position.column}`
      },
    )
}

/** Lines and columns count from 1. @returns null if the file has no map */
function sourcePosition(maps: Map<string, SourceMap | null>, address: string, line: number, column: number) {
  const file = resolve(address.startsWith('file://') ? fileURLToPath(address) : address)
  const map = maps.get(file) ?? mapOf(file)
  maps.set(file, map)
  const entry = map?.findEntry(line - 1, column - 1)
  if (!entry || !('originalSource' in entry)) return null
  const source = relative('.', resolve(dirname(file), entry.originalSource))
  return { file: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

function mapOf(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
