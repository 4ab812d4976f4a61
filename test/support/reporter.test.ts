import { text } from 'node:stream/consumers'
import t from 'tap'
import Reporter from './reporter.ts'

function report(tap: string): Promise<string> {
  const reporter = new Reporter()
  reporter.end(`TAP version 14\n${tap}`)
  return text(reporter)
}

const lastLine = (printed: string) => printed.trimEnd().split('\n').at(-1)

t.test('only tests without inner tests are counted, not assertions', async (t) => {
  const printed = await report(`
# Subtest: a.test.js
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
ok 1 - a.test.js # time=12.5ms
# Subtest: loose.test.js
    ok 1 - an assertion outside of any test
    1..1
ok 2 - loose.test.js # time=3ms
1..2
`)
  t.equal(
    printed,
    'ok     a.test.js (2 passed, 13 ms)\nok     loose.test.js (1 passed, 3 ms)\n3 passed, 0 failed\n',
  )
})

t.test('a failure is printed in full, once', async (t) => {
  const printed = await report(`
# Subtest: a.test.js
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
not ok 1 - a.test.js
1..1
`)
  t.match(printed, 'FAILED a.test.js › sums › one and one\n    diff: |\n      -3\n      +2\n')
  t.notMatch(printed, 'elsewhere')
  t.equal(printed.match(/›.*›/g)?.length, 1)
  t.equal(lastLine(printed), '0 passed, 1 failed')
})

t.test('a file that crashes counts as failed, whatever its tests did', async (t) => {
  const passing = '    # Subtest: good\n        ok 1 - yes\n        1..1\n    ok 1 - good\n    1..1\n'
  const crashed = await report(
    `# Subtest: a.test.js\n${passing}not ok 1 - a.test.js\n  ---\n  signal: SIGKILL\n  ...\n1..1\n`,
  )
  t.match(crashed, 'signal: SIGKILL')
  t.equal(lastLine(crashed), '1 passed, 1 failed')
  t.equal(lastLine(await report('not ok 1 - timeout!\n1..1\n')), '0 passed, 1 failed')
})

t.test('a run that breaks off counts as failed', async (t) => {
  const file = '# Subtest: a.test.js\n    ok 1 - yes\n    1..1\nok 1 - a.test.js\n'
  t.equal(lastLine(await report(file)), '1 passed, 1 failed')
  t.equal(lastLine(await report('Bail out! no disk\n')), '0 passed, 1 failed')
})

t.test('a skipped test counts as neither passed nor failed', async (t) => {
  t.equal(lastLine(await report('ok 1 - a.test.js # SKIP no tests found\n1..1\n')), '0 passed, 0 failed')
})
