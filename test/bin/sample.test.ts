import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { request } from '../support/http-client.ts'
import { sampleCards, sampleFolder, sampleText } from '../support/sample-files.ts'
import { testFolder } from '../support/test-folder.ts'
import { serve } from './serve-workroom.ts'

t.test('the folder of markdown in a copy of the sample workspace is served as a project', async (t) => {
  const home = join(testFolder(t), 'home')
  cpSync(sampleFolder, home, { recursive: true })
  const { url, printed } = await serve(t, home)
  const [key] = /wr_\w{43}/.exec(printed)!
  const read = (path: string) => request(url, 'GET', `/v1/fs/projects/harbour/${path}`, { key: key! })
  await eventually(async () => (await read('')).status === 200)
  const { columns } = (await read('board')).json
  t.equal(
    columns.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    sampleCards().length,
  )
  t.equal((await read('posts')).json.posts.length, 2)
  t.match((await read('docs/glossary.md')).text, sampleText('documents/glossary.md'))
  t.match((await read('skills')).json, { skills: [{ name: 'release-notes' }] })
})
