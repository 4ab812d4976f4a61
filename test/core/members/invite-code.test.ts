import t from 'tap'
import { hashOfInviteCode, newInviteCode } from '../../../core/members/invite-code.ts'
import fc from '../../support/seeded-properties.ts'

const codes = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => newInviteCode(() => bytes))

t.test(
  'a code is three groups of four characters of Crockford’s base32, all of them equally likely',
  async (t) => {
    fc.assert(fc.property(codes, (code) => /^(?:[0-9A-HJKMNP-TV-Z]{4}(?:-(?!$)|$)){3}$/.test(code)))
    const all = Array.from(
      { length: 256 },
      (_, byte) => newInviteCode(() => new Uint8Array(12).fill(byte))[0],
    )
    for (const character of new Set(all)) t.equal(all.filter((one) => one === character).length, 8)
    t.equal(new Set(all).size, 32)
  },
)

t.test('a code is accepted however it is typed', async (t) => {
  const digitLetters: Record<string, string[]> = { '0': ['O', 'o'], '1': ['I', 'i', 'L', 'l'] }
  const typed = codes.chain((code) =>
    fc
      .tuple(
        ...[...code].map((character) =>
          fc.constantFrom(
            ...(character === '-'
              ? ['-', '', ' ']
              : [character, character.toLowerCase(), ...(digitLetters[character] ?? [])]),
          ),
        ),
      )
      .map((characters) => ({ code, typed: characters.join('') })),
  )
  fc.assert(
    fc.property(typed, ({ code, typed }) => {
      t.strictSame(hashOfInviteCode(typed), hashOfInviteCode(code), typed)
    }),
  )
})

t.test('two codes are never confused, and nothing else counts as a code', async (t) => {
  fc.assert(
    fc.property(codes, codes, (one, other) => {
      fc.pre(one !== other)
      return Buffer.compare(hashOfInviteCode(one)!, hashOfInviteCode(other)!) !== 0
    }),
  )
  for (const text of [
    '',
    '0000',
    '0000-0000-000',
    '0000-0000-00000',
    '0000-0000-000U',
    '0000.0000.0000',
    '٠٠٠٠-0000-0000',
  ]) {
    t.equal(hashOfInviteCode(text), null, text)
  }
})
