import { Transform, type TransformCallback } from 'node:stream'
import { Parser, type Result } from 'tap-parser'
import { stringify } from 'yaml'
import { mapToSources } from './source-positions.ts'

/** The results of the tests within a file or a test. */
interface Tally {
  passed: number
  failed: number
  /** Whether a failure in it has been printed, so that the failure of the whole is not. */
  isExplained: boolean
}

const newTally = (): Tally => ({ passed: 0, failed: 0, isExplained: false })

const isFailure = (result: Result) => !result.ok && !result.todo && !result.skip

/**
 * A reporter for tap: a line for each file, every failure in full, and a last line `N passed, N failed`. It
 * counts tests without inner tests; a file that crashes or times out counts as one failure.
 */
export default class Reporter extends Transform {
  private readonly total: Tally = newTally()
  private readonly parser: Parser

  constructor() {
    super()
    this.parser = new Parser((results) => {
      if (!results.ok && this.total.failed === 0) this.total.failed = 1
      if (results.bailout) this.print(`Bail out! ${results.bailout === true ? '' : results.bailout}`)
      this.print(`${this.total.passed} passed, ${this.total.failed} failed`)
    })
    this.follow(this.parser, [], this.total)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.parser.write(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    this.parser.end()
    done()
  }

  private print(text: string): void {
    this.push(`${text}\n`)
  }

  /** Counts and prints the results of one test, or of the whole run. */
  private follow(parser: Parser, path: string[], tally: Tally): void {
    const isRun = path.length === 0
    let childTally: Tally | null = null
    parser.on('child', (child: Parser) => {
      childTally = newTally()
      this.follow(child, [...path, child.name], childTally)
    })
    parser.on('assert', (result: Result) => {
      const inner = childTally ?? newTally()
      if (isFailure(result)) {
        if (!inner.isExplained) this.explain([...path, result.name], result)
        tally.isExplained = true
      }
      // A result without a child is an assertion, which is not counted.
      if (childTally || isRun) count(result, inner, tally)
      if (isRun) this.sum(result, inner)
      childTally = null
    })
  }

  private sum(file: Result, { passed, failed }: Tally): void {
    const verdict = isFailure(file) ? 'FAILED' : 'ok    '
    const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`
    this.print(
      `${verdict} ${file.name} (${counts}${file.time === null ? '' : `, ${Math.round(file.time)} ms`})`,
    )
  }

  private explain(path: string[], { diag }: Result): void {
    this.print(`\nFAILED ${path.join(' › ')}`)
    if (!diag) return
    // Its source lines are from the build; the positions are mapped to the sources instead.
    const { source: _, ...details } = diag
    this.print(
      mapToSources(stringify(details, { lineWidth: 0 }))
        .trimEnd()
        .replace(/^/gm, '    '),
    )
  }
}

/** Adds the results of a file or test, which counts itself only if it has no tests, or fails besides them. */
function count(result: Result, within: Tally, tally: Tally): void {
  const isWhole = within.passed + within.failed === 0
  const isSkipped = Boolean(result.skip || result.todo)
  if (isFailure(result) && within.failed === 0) within.failed = 1
  else if (result.ok && isWhole && !isSkipped) within.passed = 1
  tally.passed += within.passed
  tally.failed += within.failed
}
