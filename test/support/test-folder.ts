import type { Test } from 'tap'

/**
 * Makes the test's own folder and returns its path. It is removed after all that the test undoes at its
 * end, so that no process which still runs writes into it meanwhile.
 */
export function testFolder(t: Test): string {
  // tap removes the folder before what is registered later, unless something was registered earlier.
  t.teardown(() => {})
  return t.testdir()
}
