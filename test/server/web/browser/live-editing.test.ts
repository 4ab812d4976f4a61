import { ChangeSet } from '@codemirror/state'
import type { Page, Route, WebSocketRoute } from 'playwright-core'
import t from 'tap'
import type { ClientMessage, ServerMessage } from '../../../../core/live/protocol.ts'
import { accessible } from '../../../support/axe.ts'
import { openBrowser, type PageOptions } from '../../../support/browser.ts'
import { LiveAuthority } from '../../../support/live-authority.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, request, eventually } = workroom
await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'harbour')
const tree = '/v1/fs/projects/harbour'
const bo = { id: 'mem_bo', name: 'Bo', kind: 'human' }

const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const shown = async (page: Page) => (await text(page).locator('.cm-line').allTextContents()).join('\n')
const status = (page: Page) => page.locator('.editor-state').innerText()

/** Has the page say that the server has live texts. Fails when the page is closed meanwhile. */
async function withLiveTexts(route: Route): Promise<void> {
  const response = await route.fetch({ maxRedirects: 0 })
  const body = (await response.text()).replace('&quot;isLive&quot;:false', '&quot;isLive&quot;:true')
  await route.fulfill({ response, body })
}

/** A document with a simulated server of live texts, which a test controls. */
class LiveDocument {
  readonly authority: LiveAuthority
  readonly path: string
  isReachable = true
  private readonly sockets = new Set<WebSocketRoute>()
  private readonly editPath: string

  private constructor(title: string, body: string, path: string) {
    this.authority = new LiveAuthority(`# ${title}\n\n${body}`)
    this.path = path
    this.editPath = `/projects/harbour/edit/docs/${title.toLowerCase()}`
  }

  static async create(title: string, body: string): Promise<LiveDocument> {
    const { json } = await request('PUT', `${tree}/docs/x.md`, { body: `# ${title}\n\n${body}` })
    return new LiveDocument(title, body, String(json.path))
  }

  /** A document that the page is to create with this title and text. */
  static announced(title: string, body: string): LiveDocument {
    return new LiveDocument(title, body, '')
  }

  async open(who: typeof owner, options: PageOptions = {}): Promise<Page> {
    const page = await browser.person(workroom, who, options)
    await this.attach(page, who)
    await this.show(page)
    return page
  }

  /** Serves the live text of a page. */
  async attach(page: Page, who: typeof owner): Promise<void> {
    const editors = /\/projects\/harbour\/(?:edit\/docs\/|new\?)/
    await page.context().route(editors, (route) => withLiveTexts(route).catch(() => {}))
    await page.context().routeWebSocket(/\/live\/documents\//, (socket) => this.serve(socket, who))
  }

  async show(page: Page): Promise<void> {
    await page.goto(this.editPath)
    await text(page).waitFor()
  }

  /** Closes all connections. */
  async cut(code = 1012): Promise<void> {
    const open = [...this.sockets]
    this.sockets.clear()
    for (const socket of open) await socket.close({ code })
  }

  private serve(socket: WebSocketRoute, { member: { id, name } }: typeof owner): void {
    if (!this.isReachable) {
      void socket.close({ code: 1013 })
      return
    }
    this.sockets.add(socket)
    const send = (message: ServerMessage) => {
      if (this.sockets.has(socket)) socket.send(JSON.stringify(message))
    }
    const { take, close } = this.authority.connect(send, { id, name, kind: 'human' })
    socket.onMessage((message) => take(JSON.parse(String(message)) as ClientMessage))
    socket.onClose(() => {
      this.sockets.delete(socket)
      close()
    })
  }
}

async function write(page: Page, words: string): Promise<void> {
  await text(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(words)
}

/** Starts to record announcements to screen readers. @returns a function that answers those so far */
async function announcements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    window.announced = []
    const note = (changes) => changes.forEach(({ target }) => {
      if (target.closest?.('[role="status"]') && target.ariaLive !== 'off') announced.push(target.textContent)
    })
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
  }`)
  return () => page.evaluate<string[]>('announced')
}

t.test('two people type in one text, and undo reverts only their own words', async (t) => {
  const document = await LiveDocument.create('Tides', 'High water.')
  const [ada, other] = [await document.open(owner), await document.open(grace)]
  t.teardown(() => Promise.all([ada, other].map((page) => page.context().close())))
  const announced = await announcements(ada)
  await write(ada, ' Low water.')
  await text(other).getByText('High water. Low water.').waitFor()
  await text(other).click()
  await other.keyboard.press('Control+Home')
  await other.keyboard.press('End')
  await other.keyboard.type(' of May')
  await text(ada).getByText('# Tides of May').waitFor()
  await ada.keyboard.press('Control+z')
  await eventually(async () => (await shown(other)) === '# Tides of May\n\nHigh water.')
  t.equal(document.authority.text.toString(), '# Tides of May\n\nHigh water.')
  t.equal(await shown(ada), await shown(other))
  const people = ada.getByRole('list', { name: 'People in this text' })
  await people.getByRole('button', { name: 'Grace' }).waitFor()
  t.equal(await ada.locator('.cm-peer-cursor').getAttribute('data-name'), 'Grace')
  await other.keyboard.press('Shift+Home')
  await ada.locator('.cm-peer-range').waitFor()
  const typing = (words: string) => /typing/.test(words)
  await eventually(async () => (await announced()).some(typing))
  const told = (await announced()).filter(typing)
  t.match(told, [/^Grace is typing in the section Tides/])
  t.equal(told.length, 1, 'typing is announced once, not for each letter')
  const { json } = await request('GET', `${document.path}?view=blocks`)
  const block = (json.blocks as { id: string; source?: string }[]).at(-1)!.id
  const agent = { id: 'mem_agent', name: 'Helper', kind: 'agent' }
  document.authority.tell({ type: 'joined', clientId: 'presence:mem_agent', member: agent, block })
  await ada.locator('.cm-peer-cursor[data-name="Helper"]').waitFor()
  const colors = await people
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button).getPropertyValue('--peer')))
  t.equal(new Set(colors).size, 2, 'each has a color of their own')
  await accessible(t, ada)
  document.authority.tell({ type: 'left', clientId: 'presence:mem_agent', member: agent })
  await people.getByRole('button', { name: 'Helper' }).waitFor({ state: 'detached' })
  const saves = async () => (await announced()).filter((words) => /^Saved/.test(words)).length
  const saved = await saves()
  await ada.keyboard.press('Control+s')
  await eventually(async () => (await saves()) === saved + 1)
  await text(ada).focus()
  await ada.keyboard.press('Escape')
  await ada.keyboard.press('Tab')
  t.equal(await ada.locator('.cm-content:focus').count(), 0, 'Escape and Tab leave the editor')
  await other.context().close()
  await people.waitFor({ state: 'hidden' })
})

t.test('text typed offline is kept, and sent when the connection returns', async (t) => {
  const document = await LiveDocument.create('Lamps', 'North.')
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await write(page, ' South.')
  await eventually(() => document.authority.text.toString().endsWith('South.'))
  document.authority.change(ChangeSet.of({ from: 9, insert: 'All: ' }, document.authority.text.length), {
    member: bo,
    origin: 'put',
  })
  await page.getByText('Bo changed this document.').waitFor()
  await document.cut()
  await page.keyboard.type(' West.')
  await eventually(() => document.authority.text.toString() === '# Lamps\n\nAll: North. South. West.')
  for (let undone = 0; undone < 3; undone++) await page.keyboard.press('Control+z')
  await eventually(() => document.authority.text.toString() === '# Lamps\n\nAll: North.')
})

for (const [window, title] of [
  ['laptop', 'Ropes'],
  ['phone', 'Cords'],
] as const) {
  t.test(
    `text typed offline on a ${window} is sent by the next page if its page has been closed`,
    async (t) => {
      const document = await LiveDocument.create(title, 'One.')
      const page = await document.open(owner, { window })
      const context = page.context()
      t.teardown(() => context.close())
      document.isReachable = false
      await document.cut()
      await write(page, ' Two.')
      await page.getByText('Offline – kept in this browser').waitFor()
      await page.close()
      t.equal(document.authority.text.toString(), `# ${title}\n\nOne.`)
      document.isReachable = true
      document.authority.change(ChangeSet.of({ from: 9, insert: 'Zero. ' }, 13), {
        member: bo,
        origin: 'file',
      })
      const again = await context.newPage()
      await document.show(again)
      await text(again).getByText('Zero. One. Two.').waitFor()
      t.equal(document.authority.text.toString(), `# ${title}\n\nZero. One. Two.`)
      t.equal(await again.evaluate('JSON.stringify(localStorage).includes("Two.")'), false)
    },
  )
}

t.test(
  'writes by others and by programs are shown with their writer’s name, if known, and in the preview',
  async (t) => {
    const document = await LiveDocument.create('Bells', 'One.')
    const page = await document.open(grace)
    t.teardown(() => page.context().close())
    const { authority } = document
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('One.').waitFor()
    const me = { id: grace.member.id, name: 'Grace' }
    const status = (words: string) => page.getByRole('status').getByText(words, { exact: true })
    const writes = [
      [bo, 'put', 'Bo changed this document.'],
      [me, 'put', 'You changed this document elsewhere.'],
      [me, 'file', 'Someone with access to the disk changed this document.'],
    ] as const
    for (const [member, origin, told] of writes) {
      const { length } = authority.text
      authority.change(ChangeSet.of({ from: length, insert: ` By ${member.name}, ${origin}.` }, length), {
        member,
        origin,
      })
      await status(told).waitFor()
      await preview.getByText(`By ${member.name}, ${origin}.`).waitFor()
    }
    const { length } = authority.text
    const saved = { member: { id: 'mem_kay', name: 'Kay' }, origin: 'save' } as const
    authority.change(ChangeSet.of({ from: length, insert: ' By a save.' }, length), saved)
    await preview.getByText('By a save.').waitFor()
    t.equal(await page.getByText('Kay changed').count(), 0, 'saving is not announced as a write')
  },
)

t.test('unsaved changes that cannot be rebased on a newer text are offered', async (t) => {
  const document = await LiveDocument.create('Oars', 'One.')
  const page = await document.open(owner)
  const context = page.context()
  t.teardown(() => context.close())
  document.isReachable = false
  await document.cut()
  await write(page, ' Two.')
  await page.getByText('Offline – kept in this browser').waitFor()
  await page.close()
  document.isReachable = true
  document.authority.change(ChangeSet.of({ from: 8, insert: 'Zero. ' }, 12), { member: bo, origin: 'file' })
  document.authority.beginAnew()
  const again = await context.newPage()
  await document.show(again)
  await again.getByText(/^You have unsaved changes from/).waitFor()
  t.equal(await shown(again), '# Oars\n\nZero. One.')
  await again.getByRole('button', { name: 'Restore' }).click()
  await eventually(() => document.authority.text.toString() === '# Oars\n\nZero. One. Two.')
})

t.test('the file’s line ends and mentions are kept, and mentions are shown as names', async (t) => {
  const document = await LiveDocument.create('Crew', 'Captain: @[Grace](mem_1)\r\nMate: Bo\r\nEnd')
  const page = await document.open(owner, { window: 'phone', colorScheme: 'dark' })
  t.teardown(() => page.context().close())
  await text(page).getByText('Captain: @Grace', { exact: true }).click()
  await page.keyboard.press('End')
  await page.keyboard.type('!\nCook: Al')
  await page.keyboard.press('Home')
  await page.keyboard.press('Backspace')
  await page.keyboard.type(' ')
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('End')
  await page.keyboard.press('Delete')
  await page.keyboard.type(', ')
  await eventually(() => document.authority.text.toString().endsWith(', End'))
  t.equal(document.authority.text.toString(), '# Crew\n\nCaptain: @[Grace](mem_1)! Cook: Al\r\nMate: Bo, End')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await eventually(() => document.authority.text.toString().endsWith('Mate: Bo\r\nEnd'))
  await accessible(t, page)
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 375)
})

t.test('the page follows a rename and says who did it, and offers the post after publishing', async (t) => {
  const document = await LiveDocument.create('Winch', 'Old.')
  const page = await document.open(grace)
  t.teardown(() => page.context().close())
  const by = { id: owner.member.id, name: 'Ada' }
  const to = '/projects/harbour/docs/guides/crane'
  document.authority.tell({ type: 'gone', reason: 'moved', by, to })
  await page.getByRole('status').getByText('Ada moved this document.').waitFor()
  await page.waitForURL('/projects/harbour/edit/docs/guides/crane')
  await write(page, ' New.')
  await eventually(() => document.authority.text.toString().endsWith('Old. New.'))
  document.authority.tell({
    type: 'saveFailed',
    code: 'storage_full',
    message: 'The disk is full.',
    willRetry: true,
  })
  await page.getByRole('alert').getByText('The disk is full.').waitFor()
  t.equal(await status(page), 'Not saved')
  document.authority.save()
  await eventually(async () => /^Saved at/.test(await status(page)))
  t.equal(await page.getByText('The disk is full.').count(), 0)
  document.authority.tell({
    type: 'gone',
    reason: 'published',
    by,
    to: '/projects/harbour/posts/crane',
    draft: '/projects/harbour/drafts/rest',
  })
  const alert = page.getByRole('alert')
  await alert.getByText('This draft has been published and can no longer be changed.').waitFor()
  await alert.getByRole('button', { name: 'Read the post' }).waitFor()
  await alert.getByRole('button', { name: 'Open the draft with your unsaved changes' }).waitFor()
})

t.test('a member who may no longer edit sees why, and keeps the text', async (t) => {
  const document = await LiveDocument.create('Sails', 'Main.')
  const page = await document.open(grace)
  t.teardown(() => page.context().close())
  document.authority.tell({
    type: 'refused',
    code: 'forbidden',
    message: 'You are no longer in this project.',
  })
  await document.cut(4403)
  await page
    .getByRole('alert')
    .getByText('You are no longer in this project. Your text is kept in the editor.')
    .waitFor()
  t.equal(await shown(page), '# Sails\n\nMain.')
})

t.test('a member signed out while typing finds the typed text after signing in', async (t) => {
  const linus = await workroom.addMember({ name: 'Kay', type: 'human' }, 'harbour')
  const document = await LiveDocument.create('Oilskin', 'Yellow.')
  const page = await document.open(linus)
  t.teardown(() => page.context().close())
  document.authority.isDeaf = true
  await write(page, ' Warm.')
  browser.expect(page, /status of 401/)
  await workroom.workspace.signin.sessions.endAll(linus.member)
  await document.cut(4401)
  await page.getByLabel('Your key').fill(linus.key)
  document.authority.isDeaf = false
  await page.keyboard.press('Enter')
  await page.waitForURL('/projects/harbour/edit/docs/oilskin')
  await document.show(page)
  await text(page).getByText('Yellow. Warm.').waitFor()
  t.equal(document.authority.text.toString(), '# Oilskin\n\nYellow. Warm.')
})

t.test('where the browser stores nothing, the page says so and asks before it closes', async (t) => {
  const document = await LiveDocument.create('Hold', 'Empty.')
  const page = await browser.person(workroom, owner)
  await page.context().addInitScript('Storage.prototype.setItem = () => { throw new Error("full") }')
  await document.attach(page, owner)
  await document.show(page)
  document.isReachable = false
  await document.cut()
  await write(page, ' Full.')
  await page.getByText('Offline – not kept in this browser. Leave this page open.').waitFor()
  browser.expect(page, /A dialog says: /)
  const asked = page.waitForEvent('dialog')
  void page.close({ runBeforeUnload: true })
  t.equal((await asked).type(), 'beforeunload')
  await page.context().close()
})

t.test('Close waits until all is saved, and stays while the server is unreachable', async (t) => {
  const document = await LiveDocument.create('Anchor', 'Iron.')
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await write(page, ' Steel.')
  document.isReachable = false
  await document.cut()
  await page.keyboard.type(' Rope.')
  await page.getByRole('link', { name: 'Close' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached. Your changes are kept').waitFor()
  document.isReachable = true
  await eventually(() => document.authority.text.toString().endsWith('Iron. Steel. Rope.'))
  await page.getByRole('link', { name: 'Close' }).click()
  await page.waitForURL('/projects/harbour/docs/anchor')
})

t.test('where no live connection can be made, a Save button takes its place', async (t) => {
  const document = await LiveDocument.create('Chain', 'Short.')
  document.isReachable = false
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await page.getByText('Live editing is not available here').waitFor()
  await write(page, ' Long.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually(async () => /^Saved at/.test(await status(page)))
  t.match((await request('GET', document.path)).text, /Short\. Long\.$/)
})

t.test(
  'three people and a program write at once, through lost connections, and end with the same text',
  async (t) => {
    const document = await LiveDocument.create('Log', 'Day one.')
    const { authority } = document
    const linus = await workroom.addMember({ name: 'Linus', type: 'human' }, 'harbour')
    const phone = { window: 'phone', colorScheme: 'dark' } as const
    const pages = await Promise.all([document.open(owner), document.open(grace), document.open(linus, phone)])
    t.teardown(() => Promise.all(pages.map((page) => page.context().close())))
    const typing = pages.map(async (page, person) => {
      for (let word = 0; word < 8; word++) {
        await text(page).press(word % 2 === 0 ? 'Control+Home' : 'Control+End')
        await page.keyboard.type(`<${person}.${word}>`)
      }
    })
    for (let write = 0; write < 6; write++) {
      const { version, text: now } = authority
      const changes = ChangeSet.of({ from: now.length, insert: `<p.${write}>` }, now.length)
      authority.change(changes, { member: bo, origin: write % 2 === 0 ? 'put' : 'file' })
      await eventually(() => authority.version > version + 1)
      await document.cut(write % 2 === 0 ? 1012 : 1006)
    }
    await Promise.all(typing)
    const words = [0, 1, 2].flatMap((person) => [...Array(8).keys()].map((word) => `<${person}.${word}>`))
    const writes = [...Array(6).keys()].map((write) => `<p.${write}>`)
    // Words typed in one place at once may mix letter by letter.
    const lettersOf = (written: string) => [...written].sort().join('')
    const all = lettersOf(['# Log\n\nDay one.', ...words, ...writes].join(''))
    await eventually(() => lettersOf(authority.text.toString()) === all)
    await eventually(async () => {
      const texts = await Promise.all(pages.map(shown))
      return texts.every((one) => one === authority.text.toString())
    })
    t.pass()
  },
)

t.test(
  'a new document becomes live when it is saved, and nothing typed meanwhile is lost on the way',
  async (t) => {
    const document = LiveDocument.announced('Pier', 'Wood.')
    const page = await browser.person(workroom, owner)
    t.teardown(() => page.context().close())
    await document.attach(page, owner)
    await page.goto('/projects/harbour/new?kind=document')
    await page.getByLabel('Title').fill('Pier')
    await write(page, 'Wood.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await text(page).focus()
    await page.keyboard.type(' Stone.')
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'hidden' })
    await page.waitForURL('/projects/harbour/edit/docs/pier')
    await eventually(() => document.authority.text.toString() === '# Pier\n\nWood. Stone.')
    await page.keyboard.type(' Iron.')
    await eventually(() => document.authority.text.toString() === '# Pier\n\nWood. Stone. Iron.')
    t.equal(await shown(page), '# Pier\n\nWood. Stone. Iron.')
  },
)

t.test('a text whose file is deleted stays in the editor, and can be saved as new', async (t) => {
  const document = await LiveDocument.create('Buoys', 'Red.')
  const page = await document.open(owner)
  t.teardown(() => page.context().close())
  await write(page, ' Green.')
  await eventually(() => document.authority.text.toString().endsWith('Green.'))
  await request('DELETE', document.path)
  const by = { id: owner.member.id, name: 'Ada' }
  document.authority.tell({ type: 'gone', reason: 'deleted', by, isOnDisk: true })
  await page
    .getByRole('alert')
    .getByText('Someone with access to the disk deleted this document. Your text is kept in the editor.')
    .waitFor()
  await accessible(t, page)
  await page.getByRole('button', { name: 'Save as new' }).click()
  await page
    .getByRole('status')
    .getByText(/^Saved/)
    .waitFor()
  const { text: saved } = await request('GET', document.path)
  t.match(saved, /# Buoys\n\nRed\. Green\.$/)
})
