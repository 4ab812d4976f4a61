import { setTimeout as delay } from 'node:timers/promises'
import type { IngestProgress } from '../core/documents/disk/ingest-progress.ts'
import type { Workspace } from '../core/workspace/index.ts'

/** Outside a terminal each report adds a line, so `lineMs` must pass between two. */
const [pollMs, lineMs] = [200, 10_000]

/** Reports the ingestion of files that changed while the server was down. @returns whether it completed */
export async function reportIngestion(
  { maintenance }: Pick<Workspace, 'maintenance'>,
  ended: Promise<void>,
): Promise<boolean> {
  const { stdout } = process
  const stopping = new AbortController()
  void ended.then(() => stopping.abort())
  let printedMs = Number.NEGATIVE_INFINITY
  for (
    let progress = maintenance.ingestProgress();
    progress !== null;
    progress = maintenance.ingestProgress()
  ) {
    if (stopping.signal.aborted) return false
    if (stdout.isTTY) stdout.write(`\r\x1b[K${progressText(progress)}`)
    else if (performance.now() - printedMs >= lineMs) {
      stdout.write(`${progressText(progress)}\n`)
      printedMs = performance.now()
    }
    await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
  }
  stdout.write(`${stdout.isTTY ? '\r\x1b[K' : ''}All files have been read.\n`)
  return true
}

const progressText = ({ done, total }: IngestProgress): string =>
  total === 0
    ? 'Comparing the files with the database.'
    : `Reading files: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}. Lists and search are incomplete until this is done.`
