import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchWorkspace } from './bench-workspace.ts'

const inFolder = 500

/** Writes files `shelf-0/page-0.md`, … into the documents of the first project. */
export async function writeDocuments(
  { home }: Pick<BenchWorkspace, 'home'>,
  count: number,
  textOf: (number: number) => string,
): Promise<void> {
  for (let first = 0; first < count; first += inFolder) {
    const folder = join(home, 'projects', 'general', 'documents', `shelf-${first / inFolder}`)
    await mkdir(folder)
    const numbers = Array.from({ length: Math.min(inFolder, count - first) }, (_, index) => first + index)
    await Promise.all(numbers.map((number) => writeFile(join(folder, `page-${number}.md`), textOf(number))))
  }
}
