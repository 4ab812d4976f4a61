import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { DailySnapshots } from '../core/backup/daily-snapshots.ts'
import { countKeptIds, restoreLostDatabase } from '../core/backup/restore-snapshot.ts'
import type { Config } from '../core/config.ts'
import type { IngestProgress } from '../core/documents/disk/ingest-progress.ts'
import { hasOrphanedProjects, workspaceExists } from '../core/home/home.ts'
import { migrateHome } from '../core/home/migration.ts'
import type { Workspace } from '../core/workspace/index.ts'
import { type CreatedWorkspace, createWorkspace } from '../core/workspace/setup.ts'
import { readSettings } from '../data/home.ts'
import { type RunningServer, startServer } from '../server/index.ts'
import type { Arguments } from './arguments.ts'
import { readConfig, unknownVariableWarnings } from './config.ts'
import { defaultOwnerName } from './default-owner-name.ts'
import { migrationText } from './migrate.ts'
import { hostInUrl } from './served-address.ts'

export async function serve(args: Arguments): Promise<undefined> {
  const { home } = args
  limitHeapGrowth()
  keepServingWithoutOutput()
  for (const warning of unknownVariableWarnings(process.env)) logProblem(warning)
  const config = readConfig({
    flags: { port: args.text('port'), host: args.text('host') },
    environment: process.env,
    file: readSettings(home),
  })
  const restored = await restoreLostDatabase(home)
  const hadProjects = hasOrphanedProjects(home)
  const migration = workspaceExists(home) ? await migrateHome(home) : null
  if (migration) process.stdout.write(`${migrationText(migration)}\n`)
  const created = workspaceExists(home) ? null : await createOnFirstStart(home, config)
  // Before the ready line: a program that waits for it may send a signal at once.
  const stopRequested = untilSignal()
  const printReady = (port: number) =>
    process.stdout.write(`listening on http://${hostInUrl(config.host)}:${port}\n`)
  // The report of the start is printed before the ready line.
  const hasReport = created !== null || hadProjects || restored !== null
  const server = await start(home, config, (port) => {
    if (!hasReport) printReady(port)
  })
  const snapshots = new DailySnapshots({ home, onProblem: logProblem })
  snapshots.start()
  const reportImport = async () => {
    if (hadProjects) process.stdout.write(countIngested(server.workspace))
    if (restored) process.stdout.write(restoredText(restored.atMs, await countKeptIds(home, restored)))
  }
  const isComplete = server.workspace.maintenance.ingestProgress() === null
  if (isComplete) await reportImport()
  if (created) process.stdout.write(await printFirstSteps(server, created))
  if (hasReport) printReady(server.port)
  if (!hasSecureOrigin(server.url)) process.stdout.write(insecureText)
  if (!isComplete && (await reportIngestion(server.workspace, stopRequested))) await reportImport()
  await stopRequested
  await snapshots.stop()
  await server.close()
}

/**
 * V8 would let a heap grow to three times what lives in it before it collects, and keep that memory for
 * minutes. While many files are ingested, most of it is garbage; collecting it earlier takes no measurable time.
 */
const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=40')

/** The reader of the output may have closed it, as `head` does, or its disk may be full. */
function keepServingWithoutOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Prints the owner's key at once, so that no later failure loses it. */
async function createOnFirstStart(home: string, { disk }: Config): Promise<CreatedWorkspace> {
  const created = await createWorkspace({
    home,
    name: 'Workroom',
    owner: defaultOwnerName(),
    isPrivate: disk.private,
  })
  process.stdout.write(welcomeText(home, created.member.name, created.key))
  return created
}

const welcomeText = (home: string, owner: string, key: string): string =>
  `Welcome to Workroom. Your workspace is in ${home}, owned by ${owner}.

The owner's key (shown only once):

  ${key}
`

/** Longer than usual, so that nobody has to hurry through the first start. */
const firstLinkMs = 24 * 60 * 60 * 1000

async function printFirstSteps(
  { url, workspace }: RunningServer,
  { member, key }: CreatedWorkspace,
): Promise<string> {
  const { path } = await workspace.stores.signinLinks.issue(member, firstLinkMs)
  return signInText(`${url}${path}?next=%2Fwelcome`) + exampleText(url, key)
}

const signInText = (url: string): string =>
  `
Open it in a browser. This link signs the owner in, once, within 24 hours:

  ${url}
`

function exampleText(url: string, key: string): string {
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const welcome = `${url}/v1/fs/projects/general/docs/welcome.md`
  return `
Read the welcome document:

  curl ${authorization} ${welcome}

Change it, by adding a line:

  (curl -s ${authorization} ${welcome}; printf '\\nHello from curl.\\n') | curl -X PUT ${authorization} --data-binary @- ${welcome}

List your projects:

  curl ${authorization} ${url}/v1/fs/projects

`
}

/** Standard error: the server's own log is not available here. */
function logProblem(problem: string, error?: unknown): void {
  const reason = error instanceof Error ? `: ${error.message}` : ''
  process.stderr.write(`workroom: ${problem}${reason}\n`)
}

const insecureText =
  'Notifications in browsers need https, or localhost: browsers refuse them at a plain http address.\n'

/** Whether browsers treat the address as secure (W3C Secure Contexts). */
function hasSecureOrigin(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname)
}

function countIngested({ directory: { projects }, documents }: Workspace): string {
  const counts = projects.all().map(({ id }) => documents.lists.count(id))
  return ingestedText(
    counts.length,
    counts.reduce((total, count) => total + count, 0),
  )
}

/** Added where the folder held projects but no database. */
const ingestedText = (projects: number, documents: number): string =>
  `
Existing projects were imported under new ids:
${projects} ${projects === 1 ? 'project' : 'projects'}, ${documents} ${documents === 1 ? 'document' : 'documents'}.
`

/** Printed when a lost database was restored from a snapshot. */
const restoredText = (atMs: number, { kept, added }: { kept: number; added: number }): string =>
  `
The database was missing. Its daily snapshot of ${new Date(atMs).toISOString()} has been restored: members, keys
and rooms are as of then; later changes to files have been imported. Documents that kept their ids: ${kept}.
Documents with new ids: ${added}.
`

async function start(home: string, config: Config, onListening: (port: number) => void) {
  try {
    return await startServer({ home, config, onListening })
  } catch (error) {
    const reason = listenErrors[(error as NodeJS.ErrnoException).code ?? '']
    if (!reason || (error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new Error(`Cannot listen on port ${config.port} of ${config.host}: ${reason}.`, { cause: error })
  }
}

const listenErrors: Record<string, string> = {
  EADDRINUSE: 'it is in use. Choose another with --port, or stop the program that uses it',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another with --host',
  ENOTFOUND: 'this host is unknown. Choose another with --host',
}

/** Resolves at the first signal that asks the process to end. The second ends it at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isEnding = false
    const end = () => {
      if (isEnding) process.exit(1)
      isEnding = true
      resolve()
    }
    process.on('SIGTERM', end)
    process.on('SIGINT', end)
  })
}

/** Outside a terminal each report adds a line, so `lineMs` must pass between two. */
const [pollMs, lineMs] = [200, 10_000]

/** Reports the ingestion of files that changed while the server was down. @returns whether it completed */
async function reportIngestion(
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
