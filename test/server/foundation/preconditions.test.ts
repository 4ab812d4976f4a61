import t from 'tap'
import { isNotModified, preconditionOf } from '../../../server/fs/preconditions.ts'

const rev = '0123456789abcdef0123'
const other = 'fedcba9876543210fedc'
const ifMatch = (header: string, expected?: string) => preconditionOf({ 'if-match': header }, expected)

t.test('If-Match accepts a revision in every form that clients and proxies send', async (t) => {
  const match = { kind: 'match', revisions: [rev] }
  const forms = [
    `"${rev}"`,
    `W/"${rev}"`,
    rev,
    `"${rev}-gzip"`,
    `W/"${rev};gzip"`,
    `"${rev}-br"`,
    ` "${rev}" `,
  ]
  for (const header of forms) t.strictSame(ifMatch(header), match, header)
  t.strictSame(ifMatch(`"${rev}", W/"${other}"`), { kind: 'match', revisions: [rev, other] })
  t.strictSame(ifMatch(`${rev},${other}`), { kind: 'match', revisions: [rev, other] })
  t.strictSame(ifMatch('"of-another-server"'), { kind: 'match', revisions: ['of-another-server'] })
  t.strictSame(ifMatch('*'), { kind: 'exists' })
  t.strictSame(preconditionOf({}, undefined), { kind: 'none' })
})

t.test('any other If-Match is 422, and so is the empty string', async (t) => {
  const junk = [
    '',
    ' ',
    '""',
    '"',
    `"${rev}`,
    `${rev}"`,
    'junk',
    'w/"x"',
    `"${rev}",`,
    `*, "${rev}"`,
    `"a" "b"`,
    '"a b"',
  ]
  for (const header of junk) t.throws(() => ifMatch(header), { code: 'invalid' }, JSON.stringify(header))
})

t.test('expectedRevision is the same as If-Match, and both must hold', async (t) => {
  const expected = (parameter: string) => preconditionOf({}, parameter)
  t.strictSame(expected(rev), { kind: 'match', revisions: [rev] })
  t.strictSame(expected(`"${rev}"`), { kind: 'match', revisions: [rev] })
  t.strictSame(expected('stale'), { kind: 'match', revisions: ['stale'] })
  for (const junk of ['', 'a b', '"']) t.throws(() => expected(junk), { code: 'invalid' }, junk)

  t.strictSame(ifMatch(`"${rev}"`, rev), { kind: 'match', revisions: [rev] })
  t.strictSame(ifMatch('*', rev), { kind: 'match', revisions: [rev] })
  t.strictSame(ifMatch(`"${rev}"`, other), { kind: 'match', revisions: [] })
})

t.test('If-None-Match on a write must be * and means create only', async (t) => {
  t.strictSame(preconditionOf({ 'if-none-match': '*' }, undefined), { kind: 'create' })
  for (const junk of ['', `"${rev}"`]) {
    t.throws(() => preconditionOf({ 'if-none-match': junk }, undefined), { code: 'invalid' })
  }
  t.throws(() => preconditionOf({ 'if-none-match': '*', 'if-match': '*' }, undefined), {
    code: 'invalid',
  })
  t.throws(() => preconditionOf({ 'if-none-match': '*' }, rev), { code: 'invalid' })
})

t.test('a read is not modified if one of the caller’s revisions is the current one', async (t) => {
  for (const header of [`"${rev}"`, `W/"${rev}"`, `"${other}", "${rev}-gzip"`, '*'])
    t.ok(isNotModified(header, rev), header)
  for (const header of [undefined, '', `"${other}"`, 'junk']) t.notOk(isNotModified(header, rev))
})
