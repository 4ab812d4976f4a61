import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t from 'tap'
import { mapToSources } from './source-positions.ts'

t.test('positions in built files become those in their sources, and other text stays', async (t) => {
  const folder = t.testdir({
    'first.ts': '\n\ninterface Nothing {}\nfunction fail() { throw new Error() }\nfail()\n',
  })
  const built = join(folder, 'built/first.js')
  await build({ entryPoints: [join(folder, 'first.ts')], outfile: built, sourcemap: true })
  const { stderr } = await promisify(execFile)(process.execPath, [built]).catch((error) => error)
  t.notMatch(stderr, /first\.ts/)
  t.match(mapToSources(stderr), /at fail \(\S*first\.ts:4:\d+\)\n[\s\S]*first\.ts:5:1\n/)

  const [, line, column] = /at fail \(\S*first\.js:(\d+):(\d+)\)/.exec(stderr)!
  t.match(
    mapToSources(`at:\n  fileName: ${built}\n  lineNumber: ${line}\n  columnNumber: ${column}\n`),
    /^at:\n {2}fileName: \S+\/first\.ts\n {2}lineNumber: 4\n {2}columnNumber: \d+\n$/,
  )
  const other = 'nothing.js:1:1 of (/no/such/file.js:7:8)'
  t.equal(mapToSources(other), other)
})
