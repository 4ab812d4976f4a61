import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loaderArguments, moduleUrl } from '../../support/run-as-built.ts'
import { SourcePositions } from '../../support/source-positions.ts'
import type { Measured, PassedFunction } from './journeys-process.ts'

interface Row {
  journey: string
  files: number
  functions: number
  /** The files that decide. */
  main: string[]
}

/** The table of `docs/architecture.md#where-they-pass`. */
const rows = readFileSync('docs/architecture.md', 'utf8')
  .split('\n')
  .flatMap((line): Row[] => {
    const [, journey, files, functions, main] = /^\| (.+) \| (\d+) \| (\d+) \| (.+) \|$/.exec(line) ?? []
    if (!journey) return []
    return [
      { journey, files: Number(files), functions: Number(functions), main: main!.match(/[\w./-]+\.ts/g)! },
    ]
  })

/** How far a number may be from the one that is written. One that falls further is written anew, to hold it. */
const tolerance = 0.1

/** @param home is created */
async function measuredIn(home: string): Promise<Measured> {
  const file = fileURLToPath(moduleUrl('test/server/foundation/journeys-process.ts'))
  const child = fork(file, [home], { execArgv: [...loaderArguments] })
  try {
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`The process ended with ${code} before it had measured.`)
    })
    const [measured] = await Promise.race([once(child, 'message'), failed])
    return measured
  } finally {
    child.kill('SIGKILL')
  }
}

/** The source files of functions, without those of packages and of the test itself. */
function sourceFiles(functions: PassedFunction[], positions: SourcePositions): string[] {
  return functions
    .map(({ url, offset }) => positions.atOffset(url, offset)?.file ?? '')
    .filter((file) => /^(?:bin|core|data|server)\//.test(file))
}

t.test(
  'a journey passes as many files and functions of a warm server as the documentation says',
  async (t) => {
    const measured = await measuredIn(join(t.testdir(), 'home'))
    const positions = new SourcePositions()
    t.strictSame(new Set(Object.keys(measured)), new Set(rows.map(({ journey }) => journey)))
    for (const { journey, main, ...written } of rows) {
      const passed = sourceFiles(measured[journey]!, positions)
      const files = new Set(passed)
      const now = { files: files.size, functions: passed.length }
      // The reporter shows no comments of tests.
      console.error(`${journey}: ${now.files} files, ${now.functions} functions`)
      for (const what of ['files', 'functions'] as const) {
        const isNear = Math.abs(now[what] - written[what]) <= tolerance * written[what]
        t.ok(isNear, `${journey}: ${now[what]} ${what} instead of ${written[what]}`, {
          files: [...files].sort(),
        })
      }
      t.strictSame(
        main.filter((file) => !files.has(file)),
        [],
        `${journey} passes its main files`,
      )
    }
  },
)
