import t from 'tap'
import { roomTranscript } from '../../../core/rooms/transcript.ts'

const ada = 'mem_00000000000000000000000ada'
const people = {
  authorOf: (id: string) => (id === ada ? 'Ada *L*' : 'Bot'),
  names: { [ada]: 'Ada *L*' },
}
const said = (id: string, body: string, authorId = ada) => ({
  id,
  authorId,
  body,
  sentMs: Date.UTC(2026, 0, 2),
  replyCount: 0,
})

t.test(
  'a transcript holds the room’s name, its description, and each message below a heading of its own',
  async (t) => {
    const messages = [said('msg_1', 'Hello.'), said('msg_2', `Hi @[Old](${ada})!\n\n# Loud`, 'mem_bot')]
    t.equal(
      roomTranscript({ name: 'R & D', description: 'For *everyone*.\n# Really' }, messages, people),
      `# R \\& D

For *everyone*.
\\# Really

## Ada \\*L\\* · 2026-01-02T00:00:00.000Z · \`msg_1\`

Hello.

## Bot · 2026-01-02T00:00:00.000Z · \`msg_2\`

Hi @Ada *L*!

\\# Loud
`,
    )
  },
)

t.test('the transcript of a room without messages and description is its name', async (t) => {
  for (const description of ['', ' \n'])
    t.equal(roomTranscript({ name: 'Quiet', description }, [], people), '# Quiet\n')
})
