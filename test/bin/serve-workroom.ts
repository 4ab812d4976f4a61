import { once } from 'node:events'
import type { Test } from 'tap'
import { startWorkroom } from './run-workroom.ts'

/** Serves a home on a free port and waits until it listens. @param flags for Node itself */
export async function serve(
  t: Test,
  home: string,
  flags: readonly string[] = [],
  environment: Record<string, string> = {},
) {
  return waitUntilListening(startWorkroom(t, serveArguments(home), environment, flags))
}

/** The arguments that serve a home on a free port. */
export const serveArguments = (home: string) => ['serve', '--home', home, '--port', '0']

/** Waits until a started server listens. @throws if it ends before */
export async function waitUntilListening(started: ReturnType<typeof startWorkroom>) {
  while (!/^listening on .*\n/m.test(started.output.stdout)) {
    const outcome = await Promise.race([once(started.child.stdout, 'data').then(() => null), started.ended])
    if (outcome) throw new Error(`it ended with ${outcome.code}: ${outcome.stderr}`)
  }
  const [, url] = /^listening on (http:\/\/\S+)\n/m.exec(started.output.stdout)!
  return { ...started, url: url!, printed: started.output.stdout }
}
