import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { openBrowser, type TestBrowser } from './browser.ts'
import type { HttpResponse } from './http-client.ts'
import { startWorkroom, type Workroom } from './workroom.ts'

/** What tests of the editor share: a server with a project, Harbour, and a browser. */
export interface EditorPages {
  browser: TestBrowser
  workroom: Workroom
  /** A member of the project besides the owner. */
  grace: Workroom['owner']
  /** The project in the file tree. */
  tree: string
  /** A page of somebody whose texts are saved by a button, as nothing can be written together. */
  personWithoutSockets(...person: Parameters<TestBrowser['openPageAs']>): Promise<Page>
  /** Writes a file of the project, as the owner unless `key` says otherwise. */
  put(path: string, body: string, key?: string): Promise<HttpResponse>
  /** What is in a file of the project's folder. */
  readFile(path: string): string
}

export async function openEditorPages(t: Test): Promise<EditorPages> {
  const browser = await openBrowser(t)
  const workroom = await startWorkroom(t)
  const { owner, request } = workroom
  await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
  const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'harbour')
  const tree = '/v1/fs/projects/harbour'
  return {
    browser,
    workroom,
    grace,
    tree,
    async personWithoutSockets(...person) {
      const page = await browser.openPageAs(...person)
      await page.context().addInitScript('delete window.WebSocket')
      return page
    },
    put: (path, body, key = owner.key) => request('PUT', `${tree}/${path}`, { key, body }),
    readFile: (path) => readFileSync(join(workroom.home, 'projects/harbour', path), 'utf8'),
  }
}

export const textbox = (page: Page): Locator => page.getByRole('textbox', { name: 'Text' })

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** Waits until the page says so. */
export const waitUntilSaved = (page: Page): Promise<void> =>
  page
    .getByRole('status')
    .getByText(/^Saved at/)
    .waitFor()

export async function openEditor(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await textbox(page).waitFor()
}

/** Writes at the end of a text. */
export async function typeAtEnd(page: Page, words: string): Promise<void> {
  await textbox(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(words)
}
