import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import t from 'tap'
import { type FileResult, Reporter } from './reporter.ts'

/** What is reported of a process that prints this. */
async function report(tap: string) {
  let printed = ''
  const files: FileResult[] = []
  const reporter = new Reporter((text) => {
    printed += `${text}\n`
  })
  const output = Readable.from([`TAP version 14\n${tap}`])
  const running = reporter.follow(output, (file) => files.push(file))
  await finished(output)
  const { passed, failed } = reporter
  return { printed, files, running: running(), passed, failed }
}

t.test('only tests without inner tests are counted, not assertions', async (t) => {
  const { files, printed, passed, failed } = await report(`
# Subtest: a.test.ts
    # Subtest: plain
        ok 1 - one assertion
        ok 2 - another
        1..2
    ok 1 - plain
    # Subtest: around
        # Subtest: within
            ok 1 - an assertion
            1..1
        ok 1 - within
        1..1
    ok 2 - around
    1..2
ok 1 - a.test.ts # time=12.5ms
# Subtest: loose.test.ts
    ok 1 - an assertion outside of any test
    1..1
ok 2 - loose.test.ts # time=3ms
1..2
`)
  t.strictSame(files, [
    { name: 'a.test.ts', passed: 2, failed: 0, timeMs: 12.5 },
    { name: 'loose.test.ts', passed: 1, failed: 0, timeMs: 3 },
  ])
  t.strictSame([passed, failed, printed], [3, 0, ''])
})

t.test('a failure is printed in full, once, and counted in its file', async (t) => {
  const { files, printed, failed } = await report(`
# Subtest: a.test.ts
    # Subtest: sums
        not ok 1 - one and one
          ---
          diff: |
            -3
            +2
          ...
        1..1
    not ok 1 - sums
      ---
      at: elsewhere
      ...
    1..1
not ok 1 - a.test.ts
1..1
`)
  t.match(printed, 'FAILED a.test.ts › sums › one and one\n    diff: |\n      -3\n      +2\n')
  t.notMatch(printed, 'elsewhere')
  t.equal(printed.match(/›.*›/g)?.length, 1)
  t.match(files, [{ passed: 0, failed: 1 }])
  t.equal(failed, 1)
})

t.test('a file that fails outside of its tests counts as failed, whatever they did', async (t) => {
  const passing = '    # Subtest: good\n        ok 1 - yes\n        1..1\n    ok 1 - good\n    1..1\n'
  const { printed, passed, failed } = await report(
    `# Subtest: a.test.ts\n${passing}not ok 1 - a.test.ts\n  ---\n  message: no such module\n  ...\n1..1\n`,
  )
  t.match(printed, 'no such module')
  t.strictSame([passed, failed], [1, 1])
})

t.test('a process that breaks off names what was running, which counts as failed', async (t) => {
  const { files, running } = await report(
    '# Subtest: a.test.ts\n    # Subtest: endless\n        ok 1 - yes\n',
  )
  t.strictSame([files, running], [[], ['a.test.ts', 'endless']])
  const lines: string[] = []
  const reporter = new Reporter((text) => lines.push(text))
  reporter.fail('a.test.ts', 'Its process was ended by SIGKILL\n')
  t.strictSame(lines, ['\nFAILED a.test.ts\n    Its process was ended by SIGKILL'])
  t.equal(reporter.failed, 1)
})

t.test('a skipped test counts as neither passed nor failed', async (t) => {
  const { passed, failed } = await report('ok 1 - a.test.ts # SKIP no tests found\n1..1\n')
  t.strictSame([passed, failed], [0, 0])
})
