import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { programFile } from '../../data/program.ts'
import { isSource } from './run-as-built.ts'

/** The folder of the built code; a test that runs from the sources builds it into its `testdir` first. */
export async function builtCode(t: Test): Promise<string> {
  const top = fileURLToPath(programFile('.'))
  if (!isSource) return top
  const folder = join(t.testdir(), 'code')
  await promisify(execFile)(process.execPath, ['scripts/build.js', folder, 'program', 'parts'], { cwd: top })
  return folder
}
