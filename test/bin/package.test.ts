import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { testFolder } from '../support/test-folder.ts'

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
const folder = testFolder(t)
const clone = join(folder, 'clone')
const elsewhere = join(folder, 'elsewhere')
const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  devDependencies: Record<string, string>
}

/** Without the settings that npm passes on to the programs it starts. */
const environment = {
  PATH: process.env.PATH!,
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
}
const run = async (cwd: string, command: string, ...args: string[]): Promise<string> => {
  const options = { cwd, env: environment, maxBuffer: 16 * 1024 * 1024 }
  return (await promisify(execFile)(command, args, options)).stdout
}

/** Links packages where npm would install them. @param isMeant gets the scope of scoped packages */
function linkPackages(to: string, isMeant: (name: string) => boolean): void {
  mkdirSync(join(to, 'node_modules/.bin'), { recursive: true })
  for (const name of readdirSync('node_modules')) {
    if (!name.startsWith('.') && isMeant(name)) {
      symlinkSync(resolve('node_modules', name), join(to, 'node_modules', name))
    }
  }
}

for (const name of sources) cpSync(name, join(clone, name), { recursive: true })
linkPackages(clone, () => true)
for (const name of ['backups/2026', 'workspace/.workroom', 'dist'])
  mkdirSync(join(clone, name), { recursive: true })
for (const name of ['backups/2026/workroom.db', 'workspace/.workroom/workroom.db', 'dist/stale.js']) {
  writeFileSync(join(clone, name), 'Somebody’s.')
}

t.test('npm pack contains what is needed at run time and nothing else', async (t) => {
  await run(clone, 'npm', 'pack', '--pack-destination', folder)
  const files = (await run(folder, 'tar', '-tf', 'workroom-0.1.0.tgz')).trim().split('\n')
  const tops = new Set(files.map((path) => path.split('/').slice(0, 3).join('/')))
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
  t.notOk(files.some((path) => /test|stale|workroom\.db/.test(path)))
})

t.test('an installed tarball runs without the tools that built it', async (t) => {
  linkPackages(elsewhere, (name) => !(name in devDependencies))
  await run(elsewhere, 'tar', '-xf', join(folder, 'workroom-0.1.0.tgz'))
  renameSync(join(elsewhere, 'package'), join(elsewhere, 'node_modules/workroom'))
  symlinkSync('../workroom/dist/bin/workroom.js', join(elsewhere, 'node_modules/.bin/workroom'))
  writeFileSync(join(elsewhere, 'package.json'), '{}')
  const words = ['workroom', 'init', '--home', 'home', '--name', 'Org', '--owner', 'Ada', '--json']
  t.match(JSON.parse(await run(elsewhere, 'npx', ...words)), { workspace: { slug: 'org' } })
  t.equal(await run(elsewhere, 'node', 'node_modules/workroom/dist/bin/workroom.js', '--version'), '0.1.0\n')
  t.notOk(existsSync(join(elsewhere, 'node_modules/workroom/node_modules')))
})

t.test('npx workroom runs in a clone', async (t) => {
  t.equal(await run(clone, 'npx', 'workroom', '--version'), '0.1.0\n')
})

t.test('npm start replaces the old build, and SIGTERM ends the server', async (t) => {
  writeFileSync(join(clone, 'dist/stale.js'), '')
  const home = join(clone, 'workspace')
  renameSync(home, join(dirname(clone), 'former'))
  const child = spawn('npm', ['start'], {
    cwd: clone,
    env: { ...environment, WORKROOM_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
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
  const [, url] = await eventually(() => /^listening on (\S+)$/m.exec(printed))
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.same(
    readdirSync(clone).filter((name) => name.startsWith('dist')),
    ['dist'],
  )
  t.notOk(existsSync(join(clone, 'dist/stale.js')))
  t.notOk(existsSync(join(clone, 'dist/test')), 'tests are not built')
  child.kill('SIGTERM')
  t.same(await closed, [0, null])
  await t.rejects(fetch(`${url}/healthz`), 'nobody listens any more')
})
