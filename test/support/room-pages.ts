import type { Locator, Page } from 'playwright-core'
import { eventually } from './eventually.ts'

/** Waits until the script of a room's page has started, which moves the focus. Before, it misses what people do. */
export const waitForRoom = (page: Page): Promise<void> => page.locator('main :focus').waitFor()

/** Opens a room, unless the page shows it already: tests of one room need not load it again. */
export async function showRoom(page: Page, path: string): Promise<void> {
  const { pathname, search } = new URL(page.url())
  if (pathname + search === path) return
  await page.goto(path)
  await waitForRoom(page)
}

/** The field for a new message. */
export const messageField = (page: Page): Locator =>
  page.getByRole('main').getByLabel('Message', { exact: true })

/** The messages that contain these words. */
export const messagesWith = (page: Page, words: string): Locator =>
  page.getByRole('article').filter({ hasText: words })

/** Chooses an action from the menu of the message with these words. */
export async function chooseAction(page: Page, words: string, name: string): Promise<void> {
  await messagesWith(page, words).hover()
  await messagesWith(page, words)
    .getByLabel(/^Actions for/)
    .click()
  await messagesWith(page, words).getByText(name, { exact: true }).click()
}

/** Waits until an expression is true on a page. Its content policy forbids `waitForFunction`. */
export const waitUntilTrue = (page: Page, expression: string): Promise<boolean> =>
  eventually(async () => page.evaluate<boolean>(`Boolean(${expression})`))
