import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { openBrowser, type TestBrowser } from './browser.ts'
import type { Actor } from './chat.ts'
import { startWorkroom, type Workroom } from './workroom.ts'

/** What tests of boards share: a server, a browser, and a page for each of two people. */
interface BoardPages {
  browser: TestBrowser
  workroom: Workroom
  grace: Actor
  /** The owner's page, in a laptop's window. */
  ada: Page
  /** Grace's page, in a phone's window. */
  phone: Page
  /** Creates a project with an empty board, for one test. */
  newBoard(): Promise<Board>
}

export interface Board {
  /** The project in the file tree, and its pages. */
  tree: string
  pages: string
  /** Creates a card at the end of a column. @returns its number */
  card(column: string, title: string, fields?: string): Promise<number>
  /** The numbers of the cards in a column, from the interface. */
  numbersIn(column: string): Promise<number[]>
  /** The text of a card. */
  fileOf(column: string, number: number): Promise<string>
}

export async function openBoards(t: Test): Promise<BoardPages> {
  const browser = await openBrowser(t)
  const workroom = await startWorkroom(t)
  const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' })
  const scout = await workroom.addMember({ name: 'Scout', type: 'agent' })
  let boards = 0
  return {
    browser,
    workroom,
    grace,
    ada: await browser.openPageAs(workroom, workroom.owner),
    phone: await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' }),
    async newBoard() {
      boards += 1
      const { slug } = (
        await workroom.request('POST', '/v1/fs/projects', { body: { name: `Board ${boards}` } })
      ).json
      const { projects } = workroom.workspace.stores
      for (const { member } of [grace, scout]) await projects.join(projects.find(slug)!, member, 'member')
      return boardOf(workroom, slug)
    },
  }
}

function boardOf({ request }: Workroom, slug: string): Board {
  const tree = `/v1/fs/projects/${slug}`
  return {
    tree,
    pages: `/projects/${slug}`,
    async card(column, title, fields = '') {
      const body = `---\n${fields}---\n# ${title}\n\nText of ${title}.\n`
      const { json } = await request('PUT', `${tree}/board/${column}/new-card.md`, { body })
      return Number(/(\d+)-[^/]*$/.exec(json.path)![1])
    },
    async numbersIn(column) {
      const { json } = await request('GET', `${tree}/board/${column}`)
      return json.cards.map(({ number }: { number: number }) => number)
    },
    fileOf: async (column, number) => (await request('GET', `${tree}/board/${column}/${number}`)).text,
  }
}
