import { Test, type TestOpts } from 'tap'

/**
 * What `tap` is to test files that run in one process, one after the other: the default export is the test of the file
 * that runs, as each would have it to itself. The build puts it in the place of `tap` (`scripts/build.js`).
 */
export * from 'tap'

/** Until a file runs, one that nothing is done with. */
let ofFile = newTest({ name: 'no file' })

export { ofFile as default }

/** How a test file went. */
export interface TestOutcome {
  isOk: boolean
  /** What it says, as TAP. */
  tap: string
}

export interface TestFile {
  /** What it is called in names of folders and tests. */
  name: string
  /** Where its tests keep what they write. */
  folder: string
  timeoutMs: number
  /** Runs the module of the file, which adds its tests. */
  load(): Promise<unknown>
}

/** One whose type does not name its very options. */
function newTest(options: TestOpts): Test {
  return new Test(options) as unknown as Test
}

/** Runs one test file, when the one before it has ended. */
export async function runTestFile({ name, folder, timeoutMs, load }: TestFile): Promise<TestOutcome> {
  const test = newTest({ name, testdir: folder, timeout: timeoutMs, cb: load })
  ofFile = test
  let tap = ''
  test.on('data', (words) => {
    tap += words
  })
  const complete = new Promise<{ ok: boolean }>((resolve) => test.once('complete', resolve))
  test.runMain(() => {})
  const { ok } = await complete
  return { isOk: ok, tap }
}
