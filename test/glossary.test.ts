import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** The first lines of declarations of types, exported functions and methods. */
const declarations = [
  /^\s*(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm,
  /^export (?:async )?function (\w+)/gm,
  /^export const (\w+) = (?:async )?(?:<[^>]*>)?\(/gm,
  /^ {2}(?:private |protected |override |static |readonly )*(?:async )?(\w+)\([^)\n]*\)(?:: [^\n]+)? \{$/gm,
]

const column = (row: string, index: number): string => row.split('|')[index]!.trim()

/** The words of the column "Not", without those in italics or with a remark, which have other uses. */
const unwanted: Map<string, string> = new Map(
  readFileSync('docs/glossary.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| **'))
    .flatMap((row) =>
      column(row, 3)
        .split(', ')
        .filter((word) => /^[a-z ]+$/.test(word))
        .map((word): [string, string] => [word, column(row, 1)]),
    ),
)

const wordsOf = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()

function unwantedNames(text: string): string[] {
  const names = declarations.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name!))
  return names.filter((name) => unwanted.has(wordsOf(name)))
}

t.test('no type, exported function or method has a name that the glossary rules out', async (t) => {
  for (const layer of ['bin', 'core', 'data', 'server']) {
    for (const name of readdirSync(layer, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const path = join(layer, name)
      for (const found of unwantedNames(readFileSync(path, 'utf8'))) {
        t.fail(`${path}: ${found} is ${unwanted.get(wordsOf(found))} in docs/glossary.md`)
      }
    }
  }
  t.ok(unwanted.size > 40, 'the test finds words')
  t.strictSame(unwantedNames('export class Patience {\n  hear(event: string): void {\n  }\n}'), [
    'Patience',
    'hear',
  ])
})
