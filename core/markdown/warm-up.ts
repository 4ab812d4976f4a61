import type { Job } from './job.ts'
import { largeTextBytes } from './large-text.ts'

const rounds = 3

const sample = `## What is done

The **first** of these is _the second_, as \`code\` and [a page](https://example.org/page) say; see [[the plan]] and <https://example.org>.
A line that goes on,  \nand one after it\\
with ~~nothing~~ \\*else\\* &amp; a note[^note].

- one
  - of them
- [x] done
- [ ] to do

1. first
2. second

> Somebody said so.
>
> And again.

| What | When |
| :--- | ---: |
| this | now  |
| that | then |

---

[^note]: Below.
`

const code: Record<string, string> = {
  ts: "const answer: number = await ask('why', { retries: 3 }) // 42",
  js: 'export const twice = (n) => n * 2 // doubled',
  json: '{ "answer": 42, "known": true }',
  bash: 'curl -s "$URL/v1/events?since=$TICK" | jq .cursor # on',
  python: 'def twice(n: int) -> str:\n    return f"{n * 2}"',
  yaml: 'answer: 42 # known\nwhy: [one, two]',
  sql: "SELECT id FROM rooms WHERE name = 'Hall'",
  html: '<p class="one">Text</p>',
  css: '.one { color: #333; }',
  go: 'func twice(n int) int { return n * 2 }',
  diff: '-one\n+two',
}

/** Jobs for a new worker, which is several times slower until its code is compiled. */
export function* warmUp(): Generator<Job> {
  const fences = Object.entries(code).map(([language, lines]) => `\`\`\`${language}\n${lines}\n\`\`\`\n`)
  const piece = sample + fences.join('\n')
  const text = `# Sample\n\n${piece.repeat(Math.ceil(largeTextBytes / piece.length))}`
  for (let round = 0; round < rounds; round++) {
    const body = Buffer.from(`${text}\n${round}\n`)
    const shared = { people: [], names: {}, before: null }
    yield { kind: 'analyse', request: { bytes: body, origin: 'sent', ...shared }, plain: null }
    const request = { body, mentions: [], origin: '', isPlain: false }
    yield { kind: 'html', request, isColoured: true }
  }
}
