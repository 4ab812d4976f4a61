import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const anonymous = (path: string, accept?: string) =>
  workroom.request('GET', path, { key: undefined, headers: accept === undefined ? {} : { Accept: accept } })

t.test('a program without a key learns at /llms.txt how to get one and where to begin', async (t) => {
  const { status, headers, text } = await anonymous('/llms.txt')
  t.match([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  t.match(text, /^# Workroom\n\n> /)
  for (const words of [
    '/v1/onboard',
    'Authorization: Bearer',
    `${workroom.url}/v1/fs)`,
    `${workroom.url}/mcp)`,
    `${workroom.url}/openapi.json)`,
  ])
    t.match(text, words)
  t.notMatch(text, 'Testers')
  t.equal((await workroom.request('HEAD', '/llms.txt', { key: undefined })).status, 200)
  for (const path of ['/llms.txt', '/openapi.json']) {
    t.match((await anonymous(`${path}?page=2`)).text, /no parameter \?page=/)
  }
})

t.test('/ answers clients that ask for markdown with the same text, and others with the page', async (t) => {
  const { status, headers, text } = await anonymous('/', 'text/markdown, text/plain;q=0.5')
  t.match([status, headers['content-type']], [200, 'text/markdown; charset=utf-8'])
  t.match(headers.vary, /Accept/)
  t.equal(text, (await anonymous('/llms.txt')).text)
  for (const accept of ['text/html', 'text/html,text/markdown;q=0.9', '*/*']) {
    const { headers, text } = await anonymous('/', accept)
    t.notMatch([headers['content-type'], text], [/markdown/, /# Workroom/], accept)
  }
})
