import type { Test } from 'tap'
import type { Actor } from './chat.ts'
import { openProjectFolder, type ProjectFolder } from './project-folder.ts'
import { ScriptlessBrowser } from './scriptless-browser.ts'

/** What tests of the pages of a project share: Ada, its owner, and Grace, its member, each in a browser without script. */
export interface OpenPages {
  workroom: ProjectFolder
  grace: Actor
  ada: ScriptlessBrowser
  gracesBrowser: ScriptlessBrowser
  /** Writes a file below the project `general`, as the owner unless `key` is given. */
  put(path: string, text: string, key?: string): Promise<WrittenPage>
}

interface WrittenPage {
  id: string
  path: string
  /** The path of its page. */
  page: string
  revision: string
}

/** The paths of the project's files and of its pages. */
export const tree = '/v1/fs/projects/general'
export const pages = '/projects/general'

export async function openPages(t: Test): Promise<OpenPages> {
  const workroom = await openProjectFolder(t)
  const { owner } = workroom
  const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
  return {
    workroom,
    grace,
    ada: await new ScriptlessBrowser(workroom).signIn(owner.key),
    gracesBrowser: await new ScriptlessBrowser(workroom).signIn(grace.key),
    async put(path, text, key = owner.key) {
      const {
        status,
        headers,
        json,
        text: answer,
      } = await workroom.request('PUT', `${tree}/${path}`, { key, body: text })
      if (status !== 201) throw new Error(answer)
      const revision = headers['x-service-revision'] as string
      return { id: json.id, path: json.path, page: new URL(json.url).pathname, revision }
    },
  }
}

/** The part of a page with an id, up to the next part that is updated live. */
export const partOf = (main: string, id: string): string =>
  new RegExp(`<\\w+[^>]* id="${id}"[\\s\\S]*?(?=<\\w+[^>]* data-live|$)`).exec(main)![0]
