import t from 'tap'
import { decodePage } from '../../../core/previews/decode.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16be = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()

t.test(
  'a page’s encoding is that of its byte order mark, else of the header, else of its own tag, else UTF-8',
  async (t) => {
    const cases: [body: Buffer, contentType: string, text: string][] = [
      [Buffer.from('é🚀'), 'text/html', 'é🚀'],
      [Buffer.from('\uFEFFé'), 'text/html; charset=iso-8859-1', 'é'],
      [utf16be('é'), 'text/html; charset=utf-8', 'é'],
      [Buffer.from('\uFEFFé', 'utf16le'), 'text/html', 'é'],
      [latin1('é'), 'text/html; charset=ISO-8859-1', 'é'],
      [latin1('é'), 'text/html;charset="windows-1252"', 'é'],
      [latin1('\x93é\x94'), 'text/html; charset=latin1', '“é”'],
      [latin1('<meta charset=iso-8859-1>é'), 'text/html', '<meta charset=iso-8859-1>é'],
      [
        latin1('<META http-equiv=x content="text/html; charset=latin1">é'),
        'text/html',
        '<META http-equiv=x content="text/html; charset=latin1">é',
      ],
      [
        Buffer.from('<meta charset="iso-8859-1">é'),
        'text/html; charset=utf-8',
        '<meta charset="iso-8859-1">é',
      ],
      [Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'text/html; charset=Shift_JIS', '日本'],
      [Buffer.from('<meta charset=utf-16>é'), 'text/html', '<meta charset=utf-16>é'],
      [Buffer.from('é'), 'text/html; charset=klingon', 'é'],
      [Buffer.from('é'), 'text/html; charset=', 'é'],
      [Buffer.alloc(0), 'text/html', ''],
    ]
    for (const [body, contentType, text] of cases) t.equal(decodePage(body, contentType), text, contentType)
  },
)

t.test('invalid bytes become replacement characters, and half a final character is dropped', async (t) => {
  t.equal(decodePage(latin1('\xe9x'), 'text/html'), '\uFFFDx')
  t.equal(decodePage(Buffer.from('x🚀').subarray(0, 3), 'text/html'), 'x')
})

t.test('the encoding in a page’s own tag counts only in its first 1,024 bytes', async (t) => {
  const late = `${' '.repeat(1024)}<meta charset=latin1>é`
  t.equal(decodePage(Buffer.from(late), 'text/html'), late)
})
