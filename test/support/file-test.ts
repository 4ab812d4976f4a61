import root, { type Test } from 'tap'

/** The test of the file that runs now. The files of a process run one after another. */
let running: Test = root

/**
 * What a test file gets as `tap` (scripts/build.js): a test of its own in a process that many files share, so that its
 * teardowns, hooks and folders end with the file.
 */
const fileTest = new Proxy(root, {
  get(_, name) {
    const value: unknown = Reflect.get(running, name)
    return typeof value === 'function' ? value.bind(running) : value
  },
  set: (_, name, value) => Reflect.set(running, name, value),
})

export default fileTest

/** Runs a test file to its end. @param load imports it, whereby it declares its tests */
export async function runFile(name: string, folder: string, load: () => Promise<unknown>): Promise<void> {
  await root.test(name, { testdir: folder }, async (t) => {
    running = t
    await load()
  })
  // A parser reports a result, which may have details, only with a line after it. This one states the default.
  root.pragma({ strict: false })
}
