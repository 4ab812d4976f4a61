import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { welcomeText } from '../../core/projects/welcome.ts'
import { testFolder } from '../support/test-folder.ts'
import { nodeArguments } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

t.test('every command of the welcome document works when pasted', async (t) => {
  const home = join(testFolder(t), 'home')
  const { url, printed, child, ended } = await serve(t, home)
  const environment = { WORKROOM_URL: url, WORKROOM_KEY: printed.match(/wr_\w{43}/)![0], WORKROOM_HOME: home }
  const workroom = [process.execPath, ...nodeArguments].map((part) => `'${part}'`).join(' ')
  const paste = async (commands: string) => {
    const script = `set -e; workroom() { ${workroom} "$@"; }\n${commands}`
    return (await promisify(execFile)('sh', ['-c', script], { env: { ...process.env, ...environment } }))
      .stdout
  }

  // The reader sets address and key, and replaces BLOCK with the id of a block from the answer before.
  const pasted = [...welcomeText.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands]) =>
    commands!.replace(/^export .*\n/gm, ''),
  )
  const outputs: string[] = []
  for (const commands of pasted) {
    const list = /"id":"(k\w{7})","writable":true,"type":"list"/.exec(outputs.at(-1) ?? '')?.[1]
    outputs.push(await paste(commands.replace('block=BLOCK', `block=${list}`)))
  }
  for (const output of outputs) t.notMatch(output, /"requestId"/, 'no command is refused')

  const file = (path: string) => join(home, 'projects', 'general', path)
  t.match(outputs[0], /\n# Welcome\n/)
  t.match(
    readFileSync(file('documents/shopping-list.md'), 'utf8'),
    /^# Shopping list\n\n- tea\n- biscuits\n- milk\n/,
  )
  t.match(outputs.join(), /posts\/\d{4}-\d\d-\d\d-hello-everyone\.md/)
  t.ok(existsSync(file('board/03-in-progress/0001-try-the-board.md')))
  t.match(outputs.at(-1), /Ada Lovelace is in the project General/)
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})
