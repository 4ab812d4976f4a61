import { existsSync, rmSync, symlinkSync } from 'node:fs'
import t from 'tap'
import { parseMultistatus } from '../../support/dav-client.ts'
import { davPath, mountedProject, statusOf } from '../../support/mounted-project.ts'

const {
  workroom,
  grace,
  ownerClient,
  memberClient,
  leadClient,
  pathOnDisk,
  put,
  get,
  remove,
  transfer,
  move,
} = await mountedProject(t)

t.test('a folder is moved, copied and deleted with its contents, and as a whole or not at all', async (t) => {
  for (const folder of ['a', 'a/b']) await memberClient.send('MKCOL', `${davPath}/documents/${folder}`)
  await put('/documents/a/one.md', 'one')
  await put('/documents/a/b/two.md', 'two')
  await put('/documents/a/b/picture.png', 'three')
  t.equal(await statusOf(transfer('COPY', '/documents/a', '/documents/c')), 201)
  t.strictSame(await memberClient.list(`${davPath}/documents/c/b`), ['picture.png', 'two.md'])
  t.equal(
    await statusOf(transfer('COPY', '/documents/a', '/documents/flat', memberClient, { Depth: '0' })),
    201,
  )
  t.strictSame(await memberClient.list(`${davPath}/documents/flat`), [])
  t.equal(await statusOf(move('/documents/a', '/documents/a/b/c')), 403)
  t.equal(await statusOf(move('/documents/flat', '/documents/no/such')), 409)
  t.equal(
    await statusOf(memberClient.send('DELETE', `${davPath}/documents/c`, { headers: { Depth: '0' } })),
    400,
  )
  const failed = await remove('/documents/c')
  t.equal(failed.status, 207)
  t.match(parseMultistatus(failed), [{ path: `/dav${davPath}/documents/c/b/picture.png`, status: 403 }])
  t.equal(await statusOf(remove('/documents/c', leadClient)), 204)
  symlinkSync('/etc/hostname', pathOnDisk('documents/a/link'))
  t.match(await remove('/documents/a', ownerClient), { status: 409 })
  rmSync(pathOnDisk('documents/a/link'))
  t.equal(await statusOf(move('/documents/a', '/documents/flat', ownerClient)), 204)
  t.strictSame(await memberClient.list(`${davPath}/documents/flat`), ['b', 'one.md'])
  t.notOk(existsSync(pathOnDisk('documents/a')))
})

t.test('folders that every project has cannot be made, moved or deleted', async (t) => {
  for (const path of ['', '/posts', '/drafts/grace', '/board', '/board/01-triage', '/files']) {
    t.equal(await statusOf(remove(path, ownerClient)), path === '/drafts/grace' ? 404 : 403, path)
    t.equal(
      await statusOf(move(path, '/documents/x', ownerClient)),
      path === '/drafts/grace' ? 404 : 403,
      path,
    )
  }
  for (const [path, status] of Object.entries({
    '/posts/x': 403,
    '/board/05-later': 403,
    '/x': 403,
    '/files': 405,
    '/documents/a/b': 409,
  })) {
    t.equal(await statusOf(memberClient.send('MKCOL', davPath + path)), status, path)
  }
  t.equal(await statusOf(ownerClient.send('MKCOL', '/projects/new')), 403)
  t.equal(await statusOf(ownerClient.send('DELETE', '/projects')), 403)
  t.equal(await statusOf(memberClient.send('MKCOL', `${davPath}/documents/x`, { body: 'x' })), 415)
})

t.test('a refused move or copy takes nothing away from its destination', async (t) => {
  await ownerClient.send('MKCOL', `${davPath}/files/kept`)
  await put('/files/kept/only.bin', 'the only one', ownerClient)
  await put('/board/01-triage/kept.md', '# Kept\n', ownerClient)
  await put('/posts/fixed.md', '# Fixed\n', ownerClient)
  t.equal(await statusOf(move('/posts/fixed.md', '/files/kept', ownerClient)), 409, 'a post stays a post')
  t.equal(await statusOf(transfer('COPY', '/files/kept', '/board/01-triage/kept.md', ownerClient)), 403)
  t.equal((await get('/files/kept/only.bin', ownerClient)).text, 'the only one')
  t.equal((await get('/board/01-triage/kept.md', ownerClient)).text, '# Kept\n')
})

t.test('a refused move of a folder leaves the file at its destination', async (t) => {
  await workroom.request('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  const other = workroom.workspace.stores.projects.find('other')!
  await workroom.workspace.stores.projects.join(other, grace.member, 'member')
  await ownerClient.send('MKCOL', `${davPath}/documents/theirs`)
  await put('/documents/theirs/one.md', '# One\n', ownerClient)
  const place = '/projects/other/documents/place.md'
  t.equal(await statusOf(memberClient.send('PUT', place, { body: '# Place\n' })), 201)
  const headers = { Destination: `/dav${place}` }
  t.equal(await statusOf(memberClient.send('MOVE', `${davPath}/documents/theirs`, { headers })), 403)
  t.match(await memberClient.send('GET', place), { status: 200, text: '# Place\n' })
  t.equal((await get('/documents/theirs/one.md')).text, '# One\n')
  t.equal(await statusOf(ownerClient.send('MOVE', `${davPath}/documents/theirs`, { headers })), 204)
  t.strictSame(await ownerClient.list(place), ['one.md'])
})

t.test('a folder is not replaced by its own contents, however its name is spelled', async (t) => {
  const [nfc, nfd] = ['NFC', 'NFD'].map((form) => `/files/${'Café'.normalize(form)}`)
  await ownerClient.send('MKCOL', encodeURI(davPath + nfc))
  await put(encodeURI(`${nfc}/only.bin`), 'the only one', ownerClient)
  for (const method of ['MOVE', 'COPY'] as const) {
    t.equal(await statusOf(transfer(method, encodeURI(`${nfc}/only.bin`), nfd!, ownerClient)), 403, method)
    t.equal(await statusOf(transfer(method, encodeURI(nfc!), `${nfd}/within`, ownerClient)), 403, method)
  }
  t.equal((await get(encodeURI(`${nfc}/only.bin`), ownerClient)).text, 'the only one')
})
