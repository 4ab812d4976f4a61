import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { endProgram, type Peer, startModule, startProgram } from './processes.ts'

/** A WebDAV server to compare with. */
export interface PeerServer {
  name: string
  /** The status of a PUT over a file. */
  overwritten: number
  /** Serves an empty folder. @returns null if it is not installed */
  serve(folder: string): Promise<Peer | null>
}

export const peerServers: PeerServer[] = [
  { name: 'rclone', overwritten: 201, serve: serveByRclone },
  { name: 'Apache', overwritten: 204, serve: serveByApache },
  { name: 'nephele', overwritten: 204, serve: serveByNephele },
]

async function serveByRclone(folder: string): Promise<Peer | null> {
  const rclone = programAt('rclone')
  if (rclone === null) return null
  await mkdir(folder)
  const child = startProgram(rclone, ['serve', 'webdav', folder, '--addr', '127.0.0.1:0'])
  const port = await new Promise<number>((resolve, reject) => {
    let printed = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const found = /started on \[?http:\/\/127\.0\.0\.1:(\d+)\//.exec(printed)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    child.once('exit', () => reject(new Error(`rclone ended before it listened: ${printed}`)))
  })
  return { port, pid: child.pid!, close: () => endProgram(child, 'SIGTERM') }
}

/** The folders of Apache's modules in several distributions. */
const moduleFolders = ['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules', '/usr/libexec/apache2']

async function serveByApache(folder: string): Promise<Peer | null> {
  const apache = programAt('apache2') ?? programAt('httpd')
  const modules = moduleFolders.find((path) => existsSync(join(path, 'mod_dav_fs.so')))
  if (apache === null || modules === undefined) return null
  const files = join(folder, 'files')
  await mkdir(files, { recursive: true })
  // Its processes run as another user.
  for (const path of [folder, files]) await chmod(path, 0o777)
  const port = await freePort()
  const configuration = join(folder, 'apache.conf')
  await writeFile(configuration, apacheConfiguration({ folder, files, modules, port }))
  const child = startProgram(apache, ['-f', configuration, '-D', 'FOREGROUND'])
  let printed = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Apache ended before it listened: ${printed}`)
    return await isListening(port)
  })
  return { port, pid: child.pid!, close: () => endProgram(child, 'SIGTERM') }
}

/** On some systems, some are part of the program instead of files. */
const apacheModules = ['mpm_event', 'unixd', 'authz_core', 'dav', 'dav_fs']

function apacheConfiguration(at: { folder: string; files: string; modules: string; port: number }): string {
  const loads = apacheModules
    .map((name) => [`${name}_module`, join(at.modules, `mod_${name}.so`)] as const)
    .filter(([, path]) => existsSync(path))
    .map(([name, path]) => `LoadModule ${name} ${path}`)
  // Apache refuses to run as root without another user.
  const user = process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []
  return `${[
    `ServerRoot "${at.folder}"`,
    'ServerName 127.0.0.1',
    `Listen 127.0.0.1:${at.port}`,
    `PidFile "${at.folder}/apache.pid"`,
    `ErrorLog "${at.folder}/error.log"`,
    ...loads,
    ...user,
    'MaxKeepAliveRequests 0',
    `DocumentRoot "${at.files}"`,
    `DavLockDB "${at.folder}/locks"`,
    `<Directory "${at.files}">`,
    'Dav On',
    'Require all granted',
    '</Directory>',
  ].join('\n')}\n`
}

/** nephele's packages are resolved from this folder. */
async function serveByNephele(folder: string): Promise<Peer | null> {
  await mkdir(folder)
  const { child, nextResult } = startModule('test/bench/nephele-process.ts', [folder])
  try {
    const port = await nextResult<number>()
    return { port, pid: child.pid!, close: () => endProgram(child, 'SIGKILL') }
  } catch (error) {
    await endProgram(child, 'SIGKILL')
    if (error instanceof Error && /Cannot find package/.test(error.message)) return null
    throw error
  }
}

/** @returns its absolute path; null if it is not installed */
function programAt(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
