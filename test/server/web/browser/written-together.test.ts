import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { saveByRename, saveInPlace } from '../../../support/editors.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { clock, eventually, owner, request } = workroom
await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
const path = '/v1/fs/projects/harbour/docs/log.md'
const file = join(workroom.home, 'projects/harbour/documents/log.md')

const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
const shown = async (page: Page) => (await text(page).locator('.cm-line').allTextContents()).join('\n')

async function open(
  who: typeof owner,
  options: Parameters<typeof browser.openPageAs>[2] = {},
): Promise<Page> {
  const page = await browser.openPageAs(workroom, who, options)
  t.teardown(() => page.context().close())
  await page.goto('/projects/harbour/edit/docs/log')
  await text(page).waitFor()
  // The list exists only once the live connection is open.
  await page.locator('[aria-label="People in this text"]').waitFor({ state: 'attached' })
  return page
}

t.test('three people, a program and an editor on the disk write one text, and nothing is lost', async (t) => {
  const [north, south] = ['North: calm.', 'South: calm.']
  await request('PUT', path, { body: `# Log\n\n${north}\n\n${south}\n` })
  const people = [
    owner,
    await workroom.addMember({ name: 'Grace', type: 'human' }, 'harbour'),
    await workroom.addMember({ name: 'Linus', type: 'human' }, 'harbour'),
  ]
  const phone = { window: 'phone', colorScheme: 'dark' } as const
  const pages = [await open(people[0]!), await open(people[1]!), await open(people[2]!, phone)]
  const typing = pages.map(async (page, person) => {
    for (let word = 0; word < 8; word++) {
      await text(page).press(word % 2 === 0 ? 'Control+Home' : 'Control+End')
      // Below the title, which names the file.
      if (word % 2 === 0) for (const key of ['ArrowDown', 'ArrowDown', 'End']) await page.keyboard.press(key)
      await page.keyboard.type(`<${person}.${word}>`)
      if (word % 3 === person) await page.keyboard.press('Control+s')
    }
  })
  const writing = (async () => {
    for (let word = 0; word < 4; word++) {
      const edits = [{ find: north, replace: `${north} <curl.${word}>` }]
      const { status } = await request('PATCH', path, { body: { edits } })
      t.equal(status, 201)
      const save = word % 2 === 0 ? saveByRename : saveInPlace
      save(file, readFileSync(file, 'utf8').replace(south, `${south} <vim.${word}>`))
      clock.advance(2000)
    }
  })()
  await Promise.all([...typing, writing])
  const words = [0, 1, 2].flatMap((person) => [...Array(8).keys()].map((word) => `<${person}.${word}>`))
  const others = [...Array(4).keys()].flatMap((word) => [`<curl.${word}>`, `<vim.${word}>`])
  // Words typed in one place at once may mix letter by letter.
  const lettersOf = (written: string) =>
    [...written]
      .filter((letter) => /\S/.test(letter))
      .sort()
      .join('')
  const all = lettersOf(['# Log', north, south, ...words, ...others].join(''))
  await eventually(async () => {
    clock.advance(2000)
    return lettersOf(readFileSync(file, 'utf8')) === all
  })
  await eventually(async () => {
    const saved = readFileSync(file, 'utf8')
    return (await Promise.all(pages.map(shown))).every((one) => one === saved)
  })
  t.pass()
})
