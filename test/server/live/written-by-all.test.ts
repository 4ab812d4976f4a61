import t from 'tap'
import { choicesOf } from '../../hostile/campaign.ts'
import { builtCode } from '../../support/built-code.ts'
import { testFolder } from '../../support/test-folder.ts'
import { EditedDocument } from './edited-document.ts'
import { KilledServer } from './killed-server.ts'

const code = await builtCode(t)
const server = await KilledServer.start(testFolder(t), code, (end) => t.teardown(end))
const ada = await server.signIn()
const signins = [ada, ada, ada, ada]

t.test('a server killed while four people type on a bad network loses and doubles no letter', async (t) => {
  const document = await EditedDocument.create(server, choicesOf('quay'), { name: 'quay', signins })
  t.same(await document.differences({ kills: 3, maxLifeMs: 2000, withOthers: false }), [])
})

t.test('no letter is lost or doubled when people, programs and disk saves write one text', async (t) => {
  const document = await EditedDocument.create(server, choicesOf('tide'), { name: 'tide', signins })
  t.same(await document.differences({ kills: 1, maxLifeMs: 4000, withOthers: true }), [])
})
