import t from 'tap'
import { readableText } from '../../../core/markdown/readable-text.ts'

t.test('readable text has no markup', async (t) => {
  const cases: [written: string, read: string][] = [
    ['see [image.png](/v1/fs/projects/harbour/library/files/image.png)', 'see image.png'],
    ['[plan (2).pdf](/files/plan%20%282%29.pdf "the plan") is new', 'plan (2).pdf is new'],
    ['![A crane](crane.png) ![](pictures/tide.png)', 'A crane tide.png'],
    ['**Bold** and _soft_ and ~~gone~~ and `a_b*c`', 'Bold and soft and gone and a_b*c'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['# Title\n> said\n- [x] done\n2. second', 'Title\nsaid\ndone\nsecond'],
    ['look at [[c:5]] and ![[map.png]]', 'look at [[c:5]] and ![[map.png]]'],
    ['<https://example.com/a> \\*not bold\\*', 'https://example.com/a *not bold*'],
    ['```js\nconst a = [b](c)\n```\nafter', 'const a = [b](c)\nafter'],
    ['cut off [report.pdf](/v1/fs/projects/har', 'cut off report.pdf'],
    ['[**bold** link](x)', 'bold link'],
    ['@Ada: is 5 < 6?', '@Ada: is 5 < 6?'],
  ]
  for (const [written, read] of cases) t.equal(readableText(written), read, written)
})

t.test('hostile text takes linear time', async (t) => {
  for (const part of ['[', '![', '[[', '](', '`', '**', '_', '<http://', '[a](b"', '\\', '> ', '~~a'])
    t.type(readableText(part.repeat(16_000)), 'string')
})
