import t from 'tap'
import type { MentionCandidate } from '../../../core/markdown/types.ts'
import {
  ada,
  find,
  grace,
  lovelace,
  memberId,
  presentNames,
  read,
  refusalOf,
  send,
  standing,
  textOf,
} from './files.ts'

const body = (text: string) => text.replace(/^# T\n\n/, '')

const written = (text: string, people?: MentionCandidate[]) =>
  body(textOf(send(`# T\n\n${text}`, people ? { people } : {}).stored))

const at = ({ id, name }: MentionCandidate) => `@[${name}](${id})`

t.test('a bare name in text becomes a canonical mention', async (t) => {
  const cases: [sent: string, stored: string][] = [
    ['@Ada', at(ada)],
    ['Hi @Ada.', `Hi ${at(ada)}.`],
    ['(@Ada), "@Grace"!', `(${at(ada)}), "${at(grace)}"!`],
    ['@Ada Lovelace', at(lovelace)],
    ['@Ada Lovelaces', `${at(ada)} Lovelaces`],
    ['@Ada\nLovelace', `${at(ada)}\nLovelace`],
    ['@Ada  Lovelace', `${at(ada)}  Lovelace`],
    ['@Ada/@Grace, cc:@Ada', `${at(ada)}/${at(grace)}, cc:${at(ada)}`],
    ["@Ada's @Ada- @Ada_", `${at(ada)}'s ${at(ada)}- ${at(ada)}_`],
    ['**@Ada** _@Ada_ ~~@Ada~~', `**${at(ada)}** _${at(ada)}_ ~~${at(ada)}~~`],
    ['- @Ada\n\n> @Grace', `- ${at(ada)}\n\n> ${at(grace)}`],
    ['| a |\n|---|\n| @Ada |', `| a |\n|---|\n| ${at(ada)} |`],
    ['Text[^1]\n\n[^1]: by @Ada', `Text[^1]\n\n[^1]: by ${at(ada)}`],
    ['\\\\@Ada', `\\\\${at(ada)}`],
    ['@Ada www.example.org and a_www.x.org', `${at(ada)} www.example.org and a_www.x.org`],
    ['é@Ada', 'é@Ada'],
    ['@Ada@Grace', `${at(ada)}@Grace`],
    ['Done.@Ada', `Done.${at(ada)}`],
    ['[@Ada]', `[${at(ada)}]`],
    ['🚀@Ada', `🚀${at(ada)}`],
  ]
  for (const [sent, stored] of cases) t.equal(written(sent), stored, sent)
})

t.test('a bare name elsewhere stays as written', async (t) => {
  for (const text of [
    '`@Ada`',
    '```\n@Ada\n```',
    '    @Ada',
    '<b title="@Ada">',
    '<div>\n@Ada\n</div>',
    '<!-- @Ada -->',
    '[@Ada](https://example.org)',
    '[@Ada][a]\n\n[a]: x',
    '![@Ada](x.png)',
    '<https://example.org/@Ada>',
    'https://example.org/@Ada',
    'www.example.org/@Ada',
    'example.org/@Ada',
    'ftp://example.org/x/@Ada',
    'mail me@Ada, 1@Ada or é@Ada',
    'first.@Ada.org',
    '\\@Ada',
    '&#64;Ada',
    '@ada @ADA @Adam @Ada1 @Adaé @Adá',
    '@Nobody',
    '@ Ada',
    '@here @channel @everyone',
  ])
    t.equal(written(text, [ada, lovelace]), text, text)
})

t.test('names of every kind are found, the longest first, in their exact spelling', async (t) => {
  const named = [
    'O’Brien',
    "O'Brien",
    'Anne-Marie',
    'Jean Luc Picard',
    'Jean',
    '漢字',
    'Ольга',
    '🚀',
    '🚀 Team',
    'R&D',
    'a*b',
    'x_y',
    '5',
  ]
  const people = named.map((name, index) => ({ id: memberId(`n${index}`), name }))
  for (const person of people)
    t.equal(written(`Hi @${person.name}, you.`, people), `Hi ${at(person)}, you.`, person.name)
  t.equal(written('@Jean Luc', people), `${at(people[4]!)} Luc`)
  t.equal(written('@漢字さん', people), '@漢字さん', 'a letter after the name makes it another word')
})

t.test('of equal names, the first member is mentioned', async (t) => {
  const older = { id: memberId('older'), name: 'Ada' }
  t.equal(written('@Ada', [older, ada]), at(older))
  t.equal(written('@Ada', [ada, older]), at(ada))
})

t.test(
  'an old name with markdown characters is matched, stored with escapes and read back unchanged',
  async (t) => {
    const odd = memberId('odd')
    for (const [name, label] of [
      ['back`tick', 'back\\`tick'],
      ['back\\slash', 'back\\\\slash'],
      ['<b', '\\<b'],
      ['a <i> b', 'a \\<i> b'],
      ['^1', '\\^1'],
      ['1^', '1^'],
    ] as const) {
      const people = [{ id: odd, name }]
      const sent = send(`# T\n\nHi @${name} x\n`, { people })
      t.equal(textOf(sent.stored), `# T\n\nHi @[${label}](${odd}) x\n`, name)
      t.same(
        find(textOf(sent.stored), { people }).digest.mentions,
        sent.digest.mentions,
        'found on the disk it is the same',
      )
      for (const present of [people, []]) {
        const shown = read(standing(sent), presentNames(present))
        t.ok(textOf(shown).endsWith(`Hi @${name} x\n`), 'it is shown even after they left')
        const back = send(shown, { before: standing(sent), people: present })
        t.equal(textOf(back.stored), textOf(sent.stored), 'sending it back changes nothing')
      }
    }
  },
)

t.test('a name that would end a link’s text is left alone', async (t) => {
  for (const name of ['a]b', '(c)']) {
    t.equal(written(`@${name} x`, [{ id: memberId('odd'), name }]), `@${name} x`)
  }
})

t.test('a broadcast’s bare name counts only if the caller allows it', async (t) => {
  const here = { id: '__here__', name: 'here' }
  t.equal(written('@here', [here]), '@[here](__here__)')
  t.equal(written('@here'), '@here')
})

t.test(
  'canonical mentions stay as written, whatever their name, and count where they are text',
  async (t) => {
    const gone = memberId('gone')
    const text =
      `@[Somebody Else](${ada.id}) @[Gone](${gone}) @[here](__here__) x@[Ada](${ada.id})\n\n` +
      `\`@[Ada](${ada.id})\` \\@[Ada](${ada.id}) [a @[Ada](${ada.id})](x) @[Ada](mem_short) @[Ada](<${ada.id}>) ` +
      `@[Ada](${ada.id} "t") @[](${ada.id}) @ [Ada](${ada.id}) @![Ada](${ada.id})\n`
    const sent = send(`# T\n\n${text}`)
    t.equal(body(textOf(sent.stored)), text)
    t.same(
      sent.digest.mentions.map(({ id, name, form }) => [id, name, form]),
      [
        [ada.id, 'Somebody Else', 'canonical'],
        [gone, 'Gone', 'canonical'],
        ['__here__', 'here', 'canonical'],
        [ada.id, 'Ada', 'canonical'],
        [ada.id, 'Ada', 'canonical'],
      ],
    )
  },
)

t.test('a mention’s span is in bytes of the stored file', async (t) => {
  const { stored, digest } = send('---\ntags: [é]\n---\n# 🚀\n\nÉ @Grace 漢字 @Ada Lovelace\n')
  const spans = digest.mentions.map(({ start, end }) => textOf(stored.subarray(start, end)))
  t.same(spans, [at(grace), at(lovelace)])
})

t.test('a bare name typed on the disk counts as a mention, and stays bare', async (t) => {
  const text = '\uFEFF# T\n\nAsk @Ada Lovelace, `@Ada`.\n'
  const { stored, digest } = find(text)
  t.equal(textOf(stored), text)
  t.match(digest.mentions, [{ id: lovelace.id, name: 'Ada Lovelace', form: 'bare' }])
  const { start, end } = digest.mentions[0]!
  t.equal(textOf(stored.subarray(start, end)), '@Ada Lovelace')
  t.same(digest.blockNames, {})
})

t.test('a read shows present names, and writing them back restores the mentions', async (t) => {
  const sent = send('# T\n\nAsk @Ada Lovelace.\n')
  const renamed = [{ ...lovelace, name: 'Countess' }, ada]
  const shown = read(standing(sent), presentNames(renamed))
  t.match(textOf(shown), 'Ask @Countess.\n')
  const edited = send(`${shown}And @Countess.\n`, { before: standing(sent), people: renamed })
  t.match(textOf(edited.stored), `Ask @[Ada Lovelace](${lovelace.id}).\nAnd @[Countess](${lovelace.id}).\n`)
})

t.test('a mention of a member who left shows the name in the file', async (t) => {
  const sent = send('# T\n\nAsk @Grace.\n')
  const shown = read(standing(sent), {})
  t.match(textOf(shown), 'Ask @Grace.\n')
  t.equal(textOf(send(shown, { before: standing(sent), people: [] }).stored), textOf(sent.stored))
})

t.test('the first 1,000 mentions are kept, and the others stay as written', async (t) => {
  const sent = send(`# T\n\n${'@Ada\n'.repeat(1001)}`)
  t.equal(sent.digest.mentions.length, 1000)
  const shown = textOf(read(standing(sent)))
  t.match(shown, `@Ada\n@[Ada](${ada.id})\n`)
  t.equal(textOf(send(shown, { before: standing(sent) }).stored), textOf(sent.stored))
})

t.test('a sent file must be UTF-8 without NUL', async (t) => {
  t.match(refusalOf(Buffer.from([0x23, 0x20, 0xff])), /UTF-8/)
  t.match(refusalOf('# T\n\0'), /NUL/)
})
