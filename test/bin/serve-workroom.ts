import { once } from 'node:events'
import type { Test } from 'tap'
import { startWorkroom } from './run-workroom.ts'

/**
 * Serves on any free port; resolves when it listens, with what was printed until then.
 * @param flags for Node itself
 */
export async function serve(
  t: Test,
  home: string,
  flags: readonly string[] = [],
  environment: Record<string, string> = {},
) {
  return listening(startWorkroom(t, serving(home), environment, flags))
}

/** The arguments that serve a home on any free port. */
export const serving = (home: string) => ['serve', '--home', home, '--port', '0']

/** Resolves when a server that was started listens, with what was printed until then. @throws where it ends before */
export async function listening(started: ReturnType<typeof startWorkroom>) {
  while (!/^listening on .*\n/m.test(started.output.stdout)) {
    const outcome = await Promise.race([once(started.child.stdout, 'data').then(() => null), started.ended])
    if (outcome) throw new Error(`it ended with ${outcome.code}: ${outcome.stderr}`)
  }
  const [, url] = /^listening on (http:\/\/\S+)\n/m.exec(started.output.stdout)!
  return { ...started, url: url!, printed: started.output.stdout }
}
