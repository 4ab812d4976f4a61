import { runProgram } from './agent-program.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { Refused, type Wake, WakeClient } from './wake-client.ts'

const defaultTimeoutSeconds = 300
const maxTimeoutSeconds = 7000
const maxConcurrency = 20
/** Added to the lease, so that an answer can still be sent when the program used up its time. */
const answerSeconds = 60

/**
 * Runs a program for each wake of an agent and posts what it prints (`docs/webhooks.md#without-an-address`).
 * The server stores which wakes are taken and answered, so a restart neither loses nor repeats any.
 */
export async function runAgent(args: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  const { WORKROOM_URL: url, WORKROOM_KEY: key } = environment
  if (!url || !key || !URL.canParse('/', url)) {
    throw new UsageError(
      'set WORKROOM_URL to the address of the server and WORKROOM_KEY to a key of the agent',
    )
  }
  const { program } = args
  if (program.length === 0) throw new UsageError('name the program after --')
  const timeout = args.wholeNumber('timeout', maxTimeoutSeconds) ?? defaultTimeoutSeconds
  const concurrency = args.wholeNumber('concurrency', maxConcurrency) ?? 1
  const client = new WakeClient(url, key, log)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

  const running = new Set<Promise<void>>()
  let restart = true
  while (!stopping.signal.aborted) {
    const limit = concurrency - running.size
    const request = { limit, lease: Math.max(10, timeout + answerSeconds), restart }
    const wakes = await client.take(request, stopping.signal)
    if (restart && !stopping.signal.aborted) process.stdout.write('waiting for wakes of the agent\n')
    restart = false
    for (const wake of wakes) {
      const handled = handleWake(client, wake, program, timeout * 1000).finally(() => running.delete(handled))
      running.add(handled)
    }
    if (running.size >= concurrency) await Promise.race(running)
  }
  await Promise.all(running)
  return 0
}

async function handleWake(
  client: WakeClient,
  wake: Wake,
  program: readonly string[],
  timeoutMs: number,
): Promise<void> {
  const result = await runProgram(program, `${JSON.stringify(wake)}\n`, timeoutMs)
  const failure = result.error === undefined ? '' : `the program ${result.error}; `
  try {
    const { replyId } = await client.answer(wake.id, result)
    log(
      `${wake.id} ${wake.event}: ${failure}${replyId === null ? 'nothing was posted' : `posted ${replyId}`}`,
    )
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    log(`${wake.id} ${wake.event}: ${failure}the answer was refused: ${error.message}`)
  }
}

function log(line: string): void {
  process.stderr.write(`workroom: ${line}\n`)
}
