import t from 'tap'
import type { Profile } from '../../../core/access/member.ts'
import { requireProfile } from '../../../core/members/profile.ts'

const taken: Partial<Profile>[] = [
  {},
  { statusText: '', description: '', avatarUrl: '', email: '' },
  { statusText: '🦊'.repeat(200) },
  { description: `Two\n\tlines\r\n${'🦊'.repeat(1_000)}` },
  { avatarUrl: 'https://example.org/ada.png' },
  { avatarUrl: 'HTTP://127.0.0.1:8080/a%20b?c=d#e' },
  { avatarUrl: `https://example.org/${'a'.repeat(1_980)}` },
  { email: 'ada.lovelace+work@example.org' },
  { email: 'ada@bücher.example' },
  { name: '1^ > "2" & 3' },
]

const refused: [profile: Partial<Profile>, reason: RegExp][] = [
  [{ statusText: 'a'.repeat(201) }, /statusText .* 200/],
  [{ statusText: 'two\nlines' }, /statusText .* one line/],
  [{ statusText: 'two\u2028lines' }, /statusText/],
  [{ statusText: 'half \ud83e' }, /statusText/],
  [{ description: 'a'.repeat(2_001) }, /description .* 2000/],
  [{ description: 'NUL \0' }, /description/],
  [{ description: 'half \ud83e' }, /description/],
  [{ avatarUrl: 'ada.png' }, /avatarUrl .* http/],
  [{ avatarUrl: 'javascript:alert(1)' }, /avatarUrl/],
  [{ avatarUrl: 'data:image/png;base64,AAAA' }, /avatarUrl/],
  [{ avatarUrl: 'https:example.org' }, /avatarUrl/],
  [{ avatarUrl: 'https://' }, /avatarUrl/],
  [{ avatarUrl: 'https://example.org/a b' }, /avatarUrl/],
  [{ avatarUrl: 'https://example.org/\n' }, /avatarUrl/],
  [{ avatarUrl: `https://example.org/${'a'.repeat(1_981)}` }, /avatarUrl .* 2000/],
  [{ email: 'ada' }, /email address/],
  [{ email: 'ada@' }, /email address/],
  [{ email: 'ada@example.org\nBcc: x@y' }, /email address/],
  [{ email: 'ada\0@example.org' }, /email address/],
  [{ email: 'Ada <ada@example.org>' }, /email address/],
  [{ email: `${'a'.repeat(250)}@b.cd` }, /email address/],
  [{ name: 'Ada [x]' }, /display name/],
  [{ name: 'a<b' }, /display name .* </],
  [{ name: 'a`b' }, /display name/],
  [{ name: 'a\\b' }, /display name/],
  [{ name: '^1' }, /begin with \^/],
]

t.test('profile texts are stored as given', async (t) => {
  for (const profile of taken) t.doesNotThrow(() => requireProfile(profile))
})

t.test('a text that is too long or could do harm is refused with the reason', async (t) => {
  for (const [profile, message] of refused) {
    t.throws(() => requireProfile(profile), { code: 'bad_request', message })
    t.throws(() => requireProfile({ statusText: 'fine', ...profile }), { code: 'bad_request' })
  }
})
