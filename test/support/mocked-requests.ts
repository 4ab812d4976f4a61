import nock from 'nock'
import type { Test } from 'tap'

// Once imported, nock intercepts all requests of the process. Only tests that mock requests want that.
nock.restore()

/** Has nock intercept requests until the test ends. Only these hosts can be reached; default: none. */
export function mockRequests(t: Test, reachable?: string): void {
  nock.activate()
  nock.disableNetConnect()
  if (reachable !== undefined) nock.enableNetConnect(reachable)
  t.teardown(() => {
    nock.abortPendingRequests()
    nock.cleanAll()
    nock.enableNetConnect()
    nock.restore()
  })
}
