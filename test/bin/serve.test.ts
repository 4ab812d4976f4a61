import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.ts'
import { testFolder } from '../support/test-folder.ts'
import { runProcess, runWorkroom } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

const shell = (command: string) => promisify(execFile)('sh', ['-c', command])

const freshHome = (t: Test) => join(testFolder(t), 'home')

t.test('the server keeps running when nobody reads its output any more', async (t) => {
  const home = freshHome(t)
  await runWorkroom('init', '--home', home, '--name', 'Harbour', '--owner', 'Ada')
  const documents = join(home, 'projects/general/documents')
  mkdirSync(documents, { recursive: true })
  for (let n = 0; n < 1500; n++) writeFileSync(join(documents, `sheet-${n}.md`), `# Sheet ${n}\n`)
  const { child, url } = await serve(t, home)
  const health = async () => (await (await fetch(`${url}/healthz`)).json()) as { ingesting?: object }
  t.ok((await health()).ingesting, 'the server is still ingesting, and has more to log')
  child.stdout.destroy()
  await eventually(async () => !(await health()).ingesting, 120_000)
  t.equal(child.exitCode, null)
  t.equal((await fetch(`${url}/healthz`)).status, 200)
})

t.test(
  'the first start makes a workspace and prints a key, a link and three requests that work, once',
  async (t) => {
    const home = freshHome(t)
    const first = await serve(t, home)
    const keys = new Set(first.printed.match(/wr_\w{43}/g))
    t.equal(keys.size, 1)
    t.match(first.printed, /\nlistening on http:\/\/127\.0\.0\.1:\d+\n$/, 'the address is the last line')
    const [read, change, list] = first.printed.split('\n').filter((line) => /^ {2}\(?curl /.test(line))
    t.match((await shell(read!)).stdout, /\n# Welcome\n/)
    const changed = JSON.parse((await shell(change!)).stdout)
    t.match(changed, { filename: 'welcome.md', created: false, changed: true })
    t.match(JSON.parse((await shell(list!)).stdout), { projects: [{ slug: 'general', name: 'General' }] })
    t.match(
      readFileSync(join(home, 'projects/general/documents/welcome.md'), 'utf8'),
      /^# Welcome\n[\s\S]*\nHello from curl\.\n$/,
    )

    const [link, ...others] = first.printed.match(/http\S+\/signin\/[\w-]{43}\?next=%2Fwelcome$/gm)!
    t.same([new URL(link!).origin, others], [first.url, []])
    const page = await (await fetch(link!)).text()
    t.match(page, /<button>Sign in<\/button>/)

    first.child.kill('SIGTERM')
    t.match(await first.ended, { code: 0 })
    // Worker threads refuse V8 options such as this one, so the server must not pass it on to them.
    const stray = { WORKROOM_PUBLICURL: 'https://work.example' }
    const second = await serve(t, home, ['--max-old-space-size=1000'], stray)
    t.equal(second.printed, `listening on ${second.url}\n`, 'the second start prints nothing else')
    t.match(second.output.stderr, /^workroom: The variable WORKROOM_PUBLICURL is not a setting/)
    second.child.kill('SIGINT')
    t.match(await second.ended, { code: 0 })
  },
)

t.test('a server at a plain http address warns that notifications need https or localhost', async (t) => {
  const home = freshHome(t)
  await runWorkroom('init', '--home', home, '--name', 'Harbour', '--owner', 'Ada')
  const line =
    'Notifications in browsers need https, or localhost: browsers refuse them at a plain http address.'
  for (const [address, isSaid] of [
    ['http://work.example', true],
    ['https://work.example', false],
    ['http://localhost:8080', false],
  ] as const) {
    const { child, ended, output } = await serve(t, home, [], { WORKROOM_PUBLIC_URL: address })
    child.kill('SIGTERM')
    t.match(await ended, { code: 0 })
    t.equal(output.stdout.split('\n').includes(line), isSaid, address)
  }
})

t.test('changes made on the command line take effect at once in a running server', async (t) => {
  const home = freshHome(t)
  const { url, child, ended, printed } = await serve(t, home)
  const [ownerKey] = printed.match(/wr_\w{43}/)!
  const status = async (key: string) =>
    (await fetch(`${url}/v1/fs/projects`, { headers: { Authorization: `Bearer ${key}` } })).status
  const { json } = await runWorkroom(
    'member',
    'add',
    '--home',
    home,
    '--name',
    'Bob',
    '--type',
    'human',
    '--json',
  )
  t.equal(await status(json.key), 200)
  await runWorkroom('member', 'deactivate', '--home', home, '--member', 'Bob')
  t.equal(await status(json.key), 401)
  const extra = await runWorkroom('key', 'add', '--home', home, '--member', json.member.id, '--json')
  t.equal(extra.code, 1, 'a deactivated member gets no key')
  await runWorkroom('project', 'add', '--home', home, '--name', 'Notes')
  const response = await fetch(`${url}/v1/fs/projects`, { headers: { Authorization: `Bearer ${ownerKey}` } })
  const { projects } = (await response.json()) as { projects: { slug: string }[] }
  t.same(projects.map(({ slug }) => slug).sort(), ['general', 'notes'])
  const { members } = (await runWorkroom('member', 'list', '--home', home, '--json')).json
  const { stdout } = await runWorkroom('signin', '--home', home, '--member', members[0]!.id, '--json')
  const link = JSON.parse(stdout)
  t.match(link, { memberId: members[0]!.id, url: `${url}/signin/`, expiresAt: Number })
  t.equal(stdout, `${JSON.stringify(link)}\n`)
  const form = { method: 'POST', headers: { Origin: url }, body: new URLSearchParams() }
  const signedIn = await fetch(link.url, { ...form, redirect: 'manual' })
  t.match([signedIn.status, signedIn.headers.get('set-cookie')], [303, /^workroom_session=/])
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})

t.test('serve says in one line why it cannot serve', async (t) => {
  const home = freshHome(t)
  const running = await serve(t, home)
  const taken = await runProcess(t, 'serve', '--home', home, '--port', '0')
  t.match(taken, { code: 1, stdout: '', stderr: /^workroom: .*in use by another Workroom.*\n$/ })

  const squatter = createServer().listen(0, '127.0.0.1')
  t.teardown(() => squatter.close())
  await once(squatter, 'listening')
  const { port } = squatter.address() as AddressInfo
  const other = join(t.testdirName, 'other')
  const inUse = await runProcess(t, 'serve', '--home', other, '--port', String(port))
  t.match(inUse, {
    code: 1,
    stderr: /^workroom: Cannot listen on port \d+ of 127\.0\.0\.1: it is in use\..*\n$/,
  })
  t.match(inUse.stdout, /wr_\w{43}/, 'the key of the new workspace is printed all the same')

  const broken = join(t.testdirName, 'broken')
  mkdirSync(broken)
  writeFileSync(join(broken, 'workroom.yaml'), 'prot: 80\n')
  const refused = await runProcess(t, 'serve', '--home', broken, '--port', 'x')
  t.match(refused, { code: 1, stdout: '', stderr: /^workroom: .*sets prot.*port \(--port\) must be.*\n$/ })

  running.child.kill('SIGTERM')
  t.match(await running.ended, { code: 0 })
})

t.test('a second signal ends the server at once', async (t) => {
  const { child, ended, url, printed } = await serve(t, freshHome(t))
  // A graceful stop waits for the end of this body, which never comes.
  const request = fetch(`${url}/v1/fs/projects`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${printed.match(/wr_\w{43}/)![0]}` },
    body: new ReadableStream({ pull: () => new Promise(() => {}) }),
    duplex: 'half',
  } as RequestInit)
  const lost = t.rejects(request)
  child.kill('SIGTERM')
  child.kill('SIGINT')
  t.match(await ended, { code: 1 })
  await lost
})

t.test('a file of 100 MB is uploaded and downloaded without being held in memory', async (t) => {
  const { url, printed } = await serve(t, freshHome(t))
  const headers = { Authorization: `Bearer ${printed.match(/wr_\w{43}/)![0]}` }
  const megabyte = 1024 * 1024
  const block = Buffer.alloc(megabyte, 'workroom')
  const measured = async (name: string) => {
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)![1])
  }
  const memory = () => measured('process_resident_memory_bytes')
  let largest = 0
  /** Samples the memory every 20 MB. */
  const stat = async (passed: number) => {
    if (passed % (20 * megabyte) === 0) largest = Math.max(largest, await memory())
  }
  const upload = async (name: string, blocks: number) => {
    async function* bytes() {
      for (let n = 1; n <= blocks; n++) {
        yield block
        await stat(n * megabyte)
      }
    }
    const request = { method: 'POST', headers, body: bytes(), duplex: 'half' } as unknown as RequestInit
    const response = await fetch(`${url}/v1/fs/projects/general/library/files?name=${name}`, request)
    return (await response.json()) as { size: number; downloadUrl: string }
  }
  await upload('small.bin', 1)
  // After its start the server loads the parser for long documents, which takes memory of its own.
  await eventually(async () => (await measured('workroom_parser_running')) === 0)
  const before = await memory()
  const { size, downloadUrl } = await upload('large.bin', 100)
  t.equal(size, 100 * megabyte)
  let passed = 0
  const { body } = await fetch(downloadUrl)
  for await (const chunk of body!) {
    const seen = Math.floor(passed / (20 * megabyte))
    passed += chunk.length
    if (Math.floor(passed / (20 * megabyte)) > seen) await stat(0)
  }
  t.equal(passed, 100 * megabyte)
  const grown = Math.round((largest - before) / megabyte)
  t.ok(grown < 64, `the server's memory grew by ${grown} MB`)
})
