import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.ts'
import { type RequestOptions, request as send } from '../support/http-client.ts'
import { LiveEditor, signInForEditing } from '../support/live-editor.ts'
import { connectMcp } from '../support/mcp-client.ts'
import { startPackageRegistry } from '../support/package-registry.ts'
import { ScriptlessBrowser } from '../support/scriptless-browser.ts'
import { type CommandResult, startProgram } from './run-workroom.ts'
import { waitUntilListening } from './serve-workroom.ts'

/** What a clone needs to build and run the program. */
const sources = [
  'package.json',
  'README.md',
  'CONTRIBUTING.md',
  'tsconfig.json',
  'bin',
  'core',
  'data',
  'docs',
  'scripts',
  'server',
]
/** Outside the checkout, whose node_modules would be found from anywhere inside. */
const folder = mkdtempSync(join(tmpdir(), 'workroom-package-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const clone = join(folder, 'clone')
const tarball = join(folder, 'workroom-0.1.0.tgz')
const prefix = join(folder, 'prefix')
const installed = join(prefix, 'lib/node_modules/workroom')

/** Without the settings that npm passes on to the programs it starts. */
const environment = {
  PATH: process.env.PATH!,
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_registry: await startPackageRegistry(t),
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
}

for (const name of sources) cpSync(name, join(clone, name), { recursive: true })
symlinkSync(resolve('node_modules'), join(clone, 'node_modules'))
for (const name of ['backups/2026', 'workspace/.workroom', 'dist'])
  mkdirSync(join(clone, name), { recursive: true })
for (const name of ['backups/2026/workroom.db', 'workspace/.workroom/workroom.db', 'dist/stale.js']) {
  writeFileSync(join(clone, name), 'Somebody’s.')
}
await run(clone, 'npm', 'pack', '--pack-destination', folder)
const packed = (await run(folder, 'tar', '-tf', tarball)).trim().split('\n')
const added = await run(folder, 'npm', 'install', '--global', '--prefix', prefix, '--ignore-scripts', tarball)
rmSync(join(clone, 'workspace'), { recursive: true })

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const options = { cwd, env: environment, maxBuffer: 16 * 1024 * 1024 }
  return (await promisify(execFile)(command, args, options)).stdout
}

/** Starts the installed command. */
function startInstalled(t: Test, ...args: string[]): ReturnType<typeof startProgram> {
  return startProgram(t, join(prefix, 'bin/workroom'), args)
}

function runInstalled(t: Test, ...args: string[]): Promise<CommandResult> {
  return startInstalled(t, ...args).ended
}

/** Starts `npm start` and waits until it listens. @returns the URL, and a function that ends it */
async function npmStart(t: Test, cwd: string): Promise<{ url: string; stop(): Promise<unknown[]> }> {
  const child = spawn('npm', ['start'], {
    cwd,
    env: { ...environment, WORKROOM_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  t.teardown(() => {
    // The whole process group, because npm starts further processes.
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
  })
  const closed = once(child, 'close')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [, url] = await eventually(() => /^listening on (\S+)$/m.exec(printed), 120_000)
  return {
    url: url!,
    stop() {
      child.kill('SIGTERM')
      return closed
    },
  }
}

function bytesBelow(path: string): number {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names.reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
}

t.test('npm pack contains what is needed at run time and nothing else', async (t) => {
  const tops = new Set(packed.map((path) => path.split('/').slice(0, 3).join('/')))
  t.same(
    [...tops].sort(),
    [
      'README.md',
      'dist/CONTRIBUTING.md',
      'dist/README.md',
      'dist/bin',
      'dist/chunks',
      'dist/client',
      'dist/core',
      'dist/data',
      'dist/docs',
      'package.json',
    ].map((path) => `package/${path}`),
  )
  t.notOk(packed.some((path) => /test|stale|workroom\.db/.test(path)))
})

t.test('the package is small, and so is what is installed with it', async (t) => {
  t.ok(statSync(tarball).size < 3_000_000, `${statSync(tarball).size} bytes packed`)
  const ownFiles = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
  const ownBytes = bytesBelow(join(installed, 'dist'))
  t.ok(ownBytes < 8_000_000, `${ownBytes} bytes unpacked`)
  const maps = ownFiles.filter((name) => name.endsWith('.map'))
  t.ok(maps.length > 0)
  for (const name of maps) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(installed, 'dist', name), 'utf8'))
    t.equal(sourcesContent, undefined, name)
    t.notOk(
      sources.some((source: string) => source.includes('node_modules')),
      name,
    )
  }
  const [, count] = /added (\d+) packages/.exec(added)!
  t.ok(Number(count) <= 40, `${count} packages`)
  t.ok(bytesBelow(prefix) < 60_000_000, `${bytesBelow(prefix)} bytes installed`)
})

t.test('an installed package serves, backs up, restores, examines and repairs a workspace', async (t) => {
  const home = join(folder, 'home')
  const restored = join(folder, 'restored')
  const backup = join(folder, 'backup')
  const server = await waitUntilListening(startInstalled(t, 'serve', '--home', home, '--port', '0'))
  const { url } = server
  const key = /wr_\w{43}/.exec(server.printed)![0]
  const request = (method: string, path: string, options: RequestOptions = {}) =>
    send(url, method, path, { key, ...options })
  const path = '/v1/fs/projects/general/docs/plan.md'

  const written = await request('PUT', path, { body: '# Plan\n\nText.\n' })
  t.match(written, { status: 201, json: { filename: 'plan.md', created: true } })

  const browser = await new ScriptlessBrowser({ request, url }).signIn(key)
  const page = await browser.open('/projects/general/docs/plan')
  t.match(page, { status: 200, text: /<p[^>]*>Text\.<\/p>/ })
  const assets = page.text.match(/\/assets\/[\w.-]+/g)!
  for (const asset of new Set(assets)) {
    const { status, text } = await request('GET', asset)
    t.equal(status, 200, asset)
    t.ok(text.length > 0)
  }

  const editor = new LiveEditor({ url }, written.json.id, await signInForEditing({ request, url }, key))
  await editor.connect()
  editor.typeAfter('Text.', ' Typed together.')
  await eventually(() => editor.isConfirmed)
  editor.save()
  const read = async () => (await request('GET', path)).text
  await eventually(async () => (await read()).includes('Text. Typed together.'))
  editor.disconnect()

  const { client, call } = await connectMcp(t, url, { key })
  t.match(await call('read', { path }), { isError: false, text: /Typed together\./ })
  await client.close()

  t.match(await runInstalled(t, 'backup', backup, '--home', home), { code: 0 })
  server.child.kill('SIGTERM')
  t.match(await server.ended, { code: 0, stderr: /^(?!.*"level":50)/s })

  t.match(await runInstalled(t, 'restore', backup, '--home', restored), { code: 0 })
  const examined = await runInstalled(t, 'doctor', '--home', restored, '--json')
  t.match(examined, { code: 0 })
  t.same(examined.json.findings, [])

  rmSync(join(restored, '.workroom/workroom.db'))
  const repaired = await runInstalled(t, 'repair', '--home', restored, '--json')
  t.match(repaired, { code: 0 })
  const { from, documents } = JSON.parse(repaired.stdout)
  t.equal(from, 'files')
  t.ok(documents.added >= 2, 'the document and the one that welcomes')
  const document = readFileSync(join(restored, 'projects/general/documents/plan.md'), 'utf8')
  t.equal(document, '# Plan\n\nText. Typed together.\n')
})

t.test('npx workroom runs in a clone', async (t) => {
  t.equal(await run(clone, 'npx', 'workroom', '--version'), '0.1.0\n')
})

t.test('npm start replaces the old build, and SIGTERM ends the server', async (t) => {
  writeFileSync(join(clone, 'dist/stale.js'), '')
  const { url, stop } = await npmStart(t, clone)
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.same(
    readdirSync(clone).filter((name) => name.startsWith('dist')),
    ['dist'],
  )
  t.notOk(existsSync(join(clone, 'dist/stale.js')))
  t.notOk(existsSync(join(clone, 'dist/test')), 'tests are not built')
  t.same(await stop(), [0, null])
  await t.rejects(fetch(`${url}/healthz`), 'nobody listens any more')
})

t.test('without the development dependencies, npm start serves the build that is there', async (t) => {
  const production = join(folder, 'production')
  for (const name of ['package.json', 'scripts', 'dist'])
    cpSync(join(clone, name), join(production, name), { recursive: true })
  symlinkSync(join(installed, 'node_modules'), join(production, 'node_modules'))
  await run(production, 'npm', 'run', 'prepare')
  const { url, stop } = await npmStart(t, production)
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.same(await stop(), [0, null])
  rmSync(join(production, 'dist'), { recursive: true })
  await run(production, 'npm', 'run', 'prepare')
  const failed = await run(production, 'npm', 'start').catch((error) => error)
  t.match(failed, { code: 1, stderr: /There is no build to start\. Run npm ci/ })
})
