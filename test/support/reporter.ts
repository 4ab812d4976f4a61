import type { Readable } from 'node:stream'
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

export interface FileResult {
  name: string
  passed: number
  failed: number
  timeMs: number
}

const newTally = (): Tally => ({ passed: 0, failed: 0, isExplained: false })

const isFailure = (result: Result) => !result.ok && !result.todo && !result.skip

/**
 * Counts the results of all processes of tests, and prints every failure in full. It counts tests without inner tests; a
 * file that crashes or does not end counts as one failure.
 */
export class Reporter {
  private readonly total: Tally = newTally()

  constructor(private readonly print: (text: string) => void) {}

  get passed(): number {
    return this.total.passed
  }

  get failed(): number {
    return this.total.failed
  }

  /** Reads what a process of tests prints. @returns the names of the tests that have begun and not ended */
  follow(output: Readable, onFile: (file: FileResult) => void): () => string[] {
    const parser = new Parser()
    const running: string[] = []
    this.followTest(parser, running, this.total, (result, { passed, failed }) =>
      onFile({ name: result.name, passed, failed, timeMs: result.time ?? 0 }),
    )
    // Not piped: it is no stream of Node's, and the last lines would not be read.
    output.setEncoding('utf8')
    output.on('data', (text: string) => parser.write(text))
    output.on('end', () => parser.end())
    return () => running
  }

  /** Counts what is no result of a test, such as a crash, as a failure. */
  fail(name: string, reason: string): void {
    this.total.failed += 1
    this.print(`\nFAILED ${name}\n${reason.trimEnd().replace(/^/gm, '    ')}`)
  }

  /** Counts and prints the results within a test, or of a process. @param path the names of the tests around it */
  private followTest(
    parser: Parser,
    path: string[],
    tally: Tally,
    onResult: (result: Result, inner: Tally) => void = () => {},
  ): void {
    const isProcess = path.length === 0
    let childTally: Tally | null = null
    parser.on('child', (child: Parser) => {
      childTally = newTally()
      path.push(child.name)
      this.followTest(child, path, childTally)
    })
    parser.on('assert', (result: Result) => {
      const inner = childTally ?? newTally()
      if (childTally) path.pop()
      if (isFailure(result)) {
        if (!inner.isExplained) this.explain([...path, result.name], result)
        tally.isExplained = true
      }
      // A result without a child is an assertion, which is not counted.
      if (childTally || isProcess) count(result, inner, tally)
      childTally = null
      onResult(result, inner)
    })
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
