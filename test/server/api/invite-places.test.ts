import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t, { config: { trustProxy: true } })
const { clock, owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' })

const created = async (path: string, body: unknown) => (await request('POST', path, { body })).json
const invite = (body: unknown, { key } = owner) => request('POST', '/api/invites', { key, body })
let comers = 0
async function joined(code: string) {
  comers += 1
  clock.advance(60 * 60 * 1000)
  const body = { invite: code, name: `Comer ${comers}`, type: 'human' }
  const { json } = await request('POST', '/v1/onboard', { key: undefined, body })
  return json.key as string
}
const projectsOf = async (key: string) =>
  (await request('GET', '/v1/projects', { key })).json.projects.map(({ slug }: { slug: string }) => slug)
const roomsOf = async (key: string) =>
  (await request('GET', '/api/rooms', { key })).json.map(({ name }: { name: string }) => name)

t.test('an invite adds a member to its projects and rooms', async (t) => {
  const { project } = await created('/v1/projects', { name: 'Harbour' })
  const tea = await created('/api/rooms', { name: 'Tea', type: 'closed' })
  const crew = await created('/api/rooms', { name: 'Crew', type: 'open', project: 'harbour' })
  const places = { projects: ['harbour', 'general'], rooms: [tea._id, crew._id] }
  const { status, json } = await invite({ ...places, uses: 2 })
  t.equal(status, 201)
  t.same(json.projects.length, 2)
  t.equal(json.projects[0], project._id)
  const { invites } = (await request('GET', '/api/invites')).json
  t.match(invites.at(-1), { projects: json.projects, rooms: places.rooms })
  for (const key of [await joined(json.code), await joined(json.code)]) {
    t.same((await projectsOf(key)).sort(), ['general', 'harbour'])
    t.same((await roomsOf(key)).sort(), ['Crew', 'Tea', 'general'])
  }
})

t.test('a place that the inviter may not offer is refused with the reason', async (t) => {
  const tea = await created('/api/rooms', { name: 'Secret tea', type: 'closed' })
  const direct = await created('/api/rooms', { name: 'x', type: 'direct', members: [grace.member.id] })
  const crew = await created('/api/rooms', { name: 'Crew', type: 'open', project: 'general' })
  const refused: [body: unknown, status: number, message: RegExp][] = [
    [{ projects: ['nothing'] }, 400, /no project nothing/],
    [{ rooms: ['nothing'] }, 400, /no room nothing/],
    [{ rooms: [direct._id] }, 400, /direct room/],
    [{ rooms: [crew._id] }, 400, /belongs to a project/],
    [{ rooms: [tea._id] }, 403, /not in this closed room/],
    [{ rooms: 'general' }, 400, /list of texts/],
    [{ projects: Array(51).fill('general') }, 400, /at most 50/],
  ]
  for (const [body, status, message] of refused) {
    t.match(await invite(body, grace), { status, json: { error: message } }, JSON.stringify(body))
  }
})

t.test('joining a project by an invite is an event, even if the inviter is not in the project', async (t) => {
  const { code } = (await invite({ projects: ['general'] }, grace)).json
  await joined(code)
  const { json } = await request('GET', '/v1/events?since=0&wait=0&self=include')
  t.match(json.events.at(-1), { type: 'project.join' })
})

t.test('an invite may name nothing but a room', async (t) => {
  const tea = await created('/api/rooms', { name: 'Late tea', type: 'closed' })
  const { code } = (await invite({ rooms: [tea._id] })).json
  const key = await joined(code)
  t.same((await roomsOf(key)).sort(), ['Late tea', 'general'])
  t.same(await projectsOf(key), [])
})

t.test('no page that a new member finds answers 403', async (t) => {
  const { code } = (await invite({ projects: ['general'], type: 'human' })).json
  const browser = new ScriptlessBrowser(workroom)
  clock.advance(60 * 60 * 1000)
  t.equal((await browser.submit('/join', { invite: code, name: 'Newcomer' })).status, 201)
  const visited = new Set<string>()
  const next = ['/']
  for (let path = next.shift(); path !== undefined; path = next.shift()) {
    if (visited.has(path) || visited.size > 60) continue
    visited.add(path)
    const { status, text } = await browser.open(path)
    t.ok(status < 400, `${path} ${status}`)
    const links = [...text.matchAll(/href="(\/[^"#]*)/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
    // Beyond the first pages the links have no end.
    if (visited.size < 12) next.push(...links.filter((href) => !href.startsWith('/assets/')))
  }
  t.ok(visited.size > 15)
})
