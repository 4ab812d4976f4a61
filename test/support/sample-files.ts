import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A home without a database, which `workroom serve --home <copy>` opens. */
export const sampleFolder = 'fixtures/sample'

const project = join(sampleFolder, 'projects/harbour')

export const sampleBytes = (path: string): Buffer => readFileSync(join(project, path))
export const sampleText = (path: string): string => sampleBytes(path).toString()

export interface SampleCard {
  column: string
  text: string
}

/** The cards in the order of their numbers. */
export function sampleCards(): SampleCard[] {
  const board = join(project, 'board')
  return readdirSync(board)
    .flatMap((column) => readdirSync(join(board, column)).map((name) => ({ column, name })))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ column, name }) => ({ column, text: sampleText(join('board', column, name)) }))
}
