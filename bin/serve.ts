import { DailySnapshots } from '../core/backup/daily-snapshots.ts'
import { countKeptIds, restoreLostDatabase } from '../core/backup/restore-snapshot.ts'
import type { Config } from '../core/config.ts'
import { hasOrphanedProjects, workspaceExists } from '../core/home/home.ts'
import { migrateHome } from '../core/home/migration.ts'
import type { Workspace } from '../core/workspace/index.ts'
import { type CreatedWorkspace, createWorkspace } from '../core/workspace/setup.ts'
import { readSettings } from '../data/home.ts'
import { type RunningServer, startServer } from '../server/index.ts'
import type { Arguments } from './arguments.ts'
import { readConfig } from './config.ts'
import { defaultOwnerName } from './default-owner-name.ts'
import { exampleText, ingestedText, restoredText, signInText, welcomeText } from './first-start.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import { hostInUrl } from './host-in-url.ts'
import { reportIngestion } from './ingest-progress.ts'
import { migrationText } from './migrate.ts'
import { unknownVariableWarnings } from './unknown-variables.ts'

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

/** Longer than usual, so that nobody has to hurry through the first start. */
const firstLinkMs = 24 * 60 * 60 * 1000

async function printFirstSteps(
  { url, workspace }: RunningServer,
  { member, key }: CreatedWorkspace,
): Promise<string> {
  const { path } = await workspace.stores.signinLinks.issue(member, firstLinkMs)
  return signInText(`${url}${path}?next=%2Fwelcome`) + exampleText(url, key)
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
