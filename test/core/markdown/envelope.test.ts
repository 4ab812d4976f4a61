import t from 'tap'
import { mentionNames, renderRead, serverKeys } from '../../../core/markdown/index.ts'
import { ada, find, lovelace, memberId, presentNames, send, standing } from './files.ts'

const names = presentNames([ada, lovelace])
const server = 'id: doc_1\ncomments: 2\n'
const shown = (text: string | Uint8Array, rest: { title?: string; status?: string | null } = {}) =>
  renderRead({ ...standing(find(text)), names, server, ...rest })

t.test('a read holds the server’s frontmatter, the author’s, the title and the body', async (t) => {
  const fence = '---\nid: doc_1\ncomments: 2\n'
  t.equal(shown('# T\n\nText.\n').toString(), `${fence}---\n# T\n\nText.\n`)
  t.equal(shown('---\ntags: [a]\n\n# c\n---\n# T\n').toString(), `${fence}tags: [a]\n\n# c\n---\n# T\n`)
  t.equal(shown('---\nid: other\ntags: x\n---\n# T\n').toString(), `${fence}tags: x\n---\n# T\n`)
  t.equal(shown('---\ntitle: T\n---\nText.').toString(), `${fence}title: T\n---\n# T\n\nText.`)
  t.equal(shown('Text.', { title: 'notes' }).toString(), `${fence}---\n# notes\n\nText.`)
  t.equal(shown('', { title: 'notes' }).toString(), `${fence}---\n# notes\n`)
  t.equal(shown('---\n- a\n---\n', { title: 'n' }).toString(), `${fence}---\n# n\n\n---\n- a\n---\n`)
})

t.test('a read keeps the bytes of the body except a BOM', async (t) => {
  const body = Buffer.concat([
    Buffer.from('# T\r\n\r\n'),
    Buffer.from([0xff, 0xfe, 0x00, 0xc3]),
    Buffer.from('\r\nend'),
  ])
  const bom = Buffer.from('\uFEFF')
  for (const text of [body, Buffer.concat([bom, body])]) {
    t.same(shown(text), Buffer.concat([Buffer.from('---\nid: doc_1\ncomments: 2\n---\n'), body]))
  }
  const fenced = Buffer.concat([bom, Buffer.from('---\ntags: é\n---\n'), body])
  t.same(shown(fenced), Buffer.concat([Buffer.from('---\nid: doc_1\ncomments: 2\ntags: é\n---\n'), body]))
})

t.test('a decided status replaces the author’s, or is added below their fields', async (t) => {
  const own = (text: string, status: string | null) =>
    shown(text, { status }).toString().split('comments: 2\n')[1]
  t.equal(
    own('---\na: b\nstatus: active # c\nd: e\n---\n# T\n', 'closed'),
    'a: b\nstatus: closed\nd: e\n---\n# T\n',
  )
  t.equal(own('---\na: b\n---\n# T\n', 'closed'), 'a: b\nstatus: closed\n---\n# T\n')
  t.equal(own('# T\n', 'closed'), 'status: closed\n---\n# T\n')
  t.equal(own('---\nstatus: active\n---\n# T\n', null), 'status: active\n---\n# T\n')
})

t.test('mentioned names are listed as shown, in order, each once', async (t) => {
  const gone = memberId('gone')
  const { digest } = send(
    `# T\n\n@Ada Lovelace @[Gone](${gone}) @[here](__here__) @[all of you](__everyone__) @[x](__channel__) @Ada @Ada Lovelace\n`,
  )
  t.same(mentionNames(digest, { ...names, [lovelace.id]: 'Countess' }), [
    'Countess',
    'Gone',
    'here',
    'everyone',
    'channel',
    'Ada',
  ])
  t.same(mentionNames(find('Hi @Ada').digest, { [ada.id]: 'Renamed' }), ['Ada'], 'a bare name stays')
  t.same(mentionNames(find('Hi').digest, names), [])
})

t.test('the server’s keys are those documented, with those of a card', async (t) => {
  const keys =
    'id project projectId author authorId authorType publishedAt editedAt isPinned comments mentions attachments ' +
    'number columnId lastActivityAt'
  t.same([...serverKeys], keys.split(' '))
})
