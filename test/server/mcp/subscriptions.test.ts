import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { connections, connectMcp, subscribe } from '../../support/mcp-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home, owner, eventually } = workroom
const docs = 'projects/general/docs'
const uri = `workroom://${docs}/tides.md`

/** As vim saves: a new file takes the name of the old. */
function saveOnDisk(name: string, text: string): void {
  const path = join(home, 'projects/general/documents', name)
  writeFileSync(`${path}~`, text)
  renameSync(`${path}~`, path)
}

async function publishSkill(name: string): Promise<void> {
  const files = { 'SKILL.md': `---\nname: ${name}\ndescription: When to sail.\n---\n\n# Tides\n` }
  const draft = { project: 'general', name, expectedVersion: 0 }
  await request('POST', '/v1/skills', { body: { ...draft, expectedDraftRevision: 0, files } })
  const published = await request('POST', '/v1/skills/publish', {
    body: { ...draft, expectedDraftRevision: 1 },
  })
  if (published.status !== 200) throw new Error(published.text)
}

for (const connection of connections) {
  t.test(`over ${connection}, a subscriber learns of a save on the disk and of changed lists`, async (t) => {
    await request('PUT', `/v1/fs/${docs}/tides.md`, { body: `# Tides\n\nHigh at six, by ${connection}.\n` })
    const connected = await connectMcp(t, workroom.url, { key: owner.key, connection })
    const { client, notified } = connected
    const asks = 'workroom://projects/general/asks.md'
    await subscribe(connected, connection, uri, asks)
    await eventually(async () => (await openStreams()) > 0)
    saveOnDisk('tides.md', `# Tides\n\nHigh at seven, by ${connection}.\n`)
    await eventually(() => notified.updated.includes(uri))
    t.match((await client.readResource({ uri })).contents, [{ text: /High at seven/ }])

    t.notOk(notified.updated.includes(asks), 'the asks have not changed')
    const raised = await request('POST', '/api/asks', { body: { project: 'general', title: 'Paint' } })
    t.equal(raised.status, 201)
    await eventually(() => notified.updated.includes(asks))

    const { resourceLists, promptLists } = notified
    await request('PUT', `/v1/fs/${docs}/new.md`, { body: '# New\n\nText.\n' })
    await eventually(() => notified.resourceLists > resourceLists)
    await request('DELETE', `/v1/fs/${docs}/new.md`)
    await eventually(() => notified.resourceLists > resourceLists + 1)
    t.equal(notified.promptLists, promptLists)

    const names = async () => (await client.listPrompts()).prompts.map(({ name }) => name)
    const skill = `tides-${connections.indexOf(connection)}`
    await publishSkill(skill)
    await eventually(() => notified.promptLists > promptLists)
    t.same(await names(), [`general/${skill}`])
    const published = notified.promptLists
    rmSync(join(home, 'projects/general/skills', skill), { recursive: true })
    await eventually(() => notified.promptLists > published)
    t.same(await names(), [])
    await client.close()
    await eventually(async () => (await openStreams()) === 0)
  })
}

async function openStreams(): Promise<number> {
  const { text } = await request('GET', '/metrics')
  return Number(/^workroom_events_held (\d+)$/m.exec(text)?.[1] ?? 0)
}
