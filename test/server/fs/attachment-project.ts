import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { stagedFiles } from '../../support/home-state.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { startWorkroom, type WorkroomOptions } from '../../support/workroom.ts'

/** A post or draft without attachments. */
export interface Written {
  id: string
  path: string
  title: string
}

/** A project with members, and with posts and drafts to attach files to. */
export async function openAttachmentProject(t: Test, options: WorkroomOptions) {
  const workroom = await startWorkroom(t, { scanEveryMs: 3_600_000, ...options })
  const { request, home } = workroom
  const project = '/v1/fs/projects/general'
  const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
  let count = 0
  const write = async (folder: 'posts' | 'drafts' = 'posts', key = grace.key): Promise<Written> => {
    const title = `Thing ${++count}`
    const { json } = await request('PUT', `${project}/${folder}/new.md`, { body: `# ${title}\n`, key })
    return { ...json, title }
  }

  const attach = (
    to: Written,
    name: string,
    body: string | Uint8Array = 'some text',
    options: RequestOptions = {},
  ) =>
    request('POST', `${to.path}/attachments?name=${encodeURIComponent(name)}`, {
      body,
      key: grace.key,
      ...options,
    })
  const listOf = async (of: Written, key = grace.key) =>
    (await request('GET', `${of.path}/attachments`, { key })).json.attachments
  const folderOf = ({ id }: Written) => join(home, 'projects/general/attachments', id)
  const filesOf = (of: Written) => (existsSync(folderOf(of)) ? readdirSync(folderOf(of)) : [])

  /** Checks that nothing of a refused upload was kept. */
  async function checkNothing(t: Test, of: Written): Promise<void> {
    t.same(await listOf(of), [])
    t.same(filesOf(of), [])
    t.same(stagedFiles(home), [])
  }

  return { workroom, project, grace, write, attach, listOf, folderOf, filesOf, checkNothing }
}
