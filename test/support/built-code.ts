import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { programFile } from '../../data/program.ts'
import { isSource } from './run-as-built.ts'

/** The folder of the built code; a test that runs from the sources builds it into its `testdir` first. */
export async function builtCode(t: Test): Promise<string> {
  const root = fileURLToPath(programFile('.'))
  if (!isSource) return root
  const folder = join(t.testdir(), 'code')
  await promisify(execFile)(process.execPath, ['scripts/build.js', folder, 'program', 'parts'], { cwd: root })
  return folder
}
