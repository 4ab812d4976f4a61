// The pieces of fuzzed requests and texts.

/** Texts that programs often mishandle, without words that messages must not contain, such as `undefined`. */
// biome-ignore format: in one column nobody would read it
export const nastyTexts: readonly string[] = [
  '', ' ', '.', '..', '...', '-1', '0', '1', '1e999', '9007199254740993', '0x10', 'null', 'true',
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', '*', '%', '%25', '%00', '%2e%2e', '\u0000', '\r\n', '\t', '\u2028', '\ufeff', '\ud800',
  '\u202e', '\u00e9', 'e\u0301', 'ß', 'İ', '漢字', '🚀', '👩‍👩‍👧', 'a'.repeat(300), 'ä'.repeat(200), 'x'.repeat(5000), "' OR 1=1 --", '"; DROP TABLE',
  'NEAR(', 'a* OR', '"', '{{7*7}}', '<script>', '@[Ada](mem_x)', '@[channel](__channel__)', '../../etc/passwd', 'C:\\x', 'con.md', 'a:b', 'README.md',
  '.git', '.workroom', 'welcome.md', 'general', 'Ada', 'self', 'http://127.0.0.1/', 'https://example.org/x', 'javascript:alert(1)', '2026-01-01',
  '2026-13-45T99:99:99Z', '1780000000000',
]

/** JSON values that no field expects. */
// biome-ignore format: in one column nobody would read it
export const nastyValues: readonly unknown[] = [
  null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, [], {}, [[]], [null], [1, 'a'], { a: { b: [] } }, '', 'x',
]

// biome-ignore format: in one column nobody would read it
export const methods: readonly string[] = [
  'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'REPORT', 'TRACE',
]

/** Existing values for the parameters of paths. `{name}` stands for the workspace's value of that name. */
// biome-ignore format: in one column nobody would read it
export const parameters: Record<string, readonly string[]> = {
  project: ['general', 'sandbox'],
  slug: ['general', 'sandbox'],
  roomId: ['general', '{roomId}'],
  room: ['general.md', 'general', '{roomId}'],
  messageId: ['{messageId}'],
  postId: ['{postId}', '{draftId}'],
  commentId: ['{commentId}'],
  askId: ['{askId}'],
  memberId: ['{agentId}', '{victimId}'],
  keyId: ['{victimKeyId}'],
  id: ['{victimId}', '{agentId}', '{attachmentId}', '{goneId}'],
  column: ['02-todo', 'todo', '04-done'],
  number: ['1', '7'],
  name: ['plan.md', 'guides/setup.md', 'guides', 'hello.md', 'next.md', 'fix.md', '1', '{docId}', '{postId}', 'tidy', 'folder/numbers.csv', 'new.md'],
  path: ['SKILL.md', 'a/b'],
  dir: ['app'],
}

// biome-ignore format: in one column nobody would read it
export const headerValues: Record<string, readonly string[]> = {
  'If-Match': ['*', '"00000000000000000000"', 'W/"0123456789abcdef0123"', 'x', '', '"a", "b"', '"'],
  'If-None-Match': ['*', '"00000000000000000000"', 'x', ''],
  'Content-Type': ['application/json', 'text/markdown', 'application/x-www-form-urlencoded', 'multipart/form-data', 'multipart/form-data; boundary=x', 'text/plain; charset=utf-16', '%'],
  'Content-Encoding': ['gzip', 'identity', 'br', 'x'],
  Accept: ['text/html', 'application/json', '*/*;q=0', '%'],
  Range: ['bytes=0-1', 'bytes=-1', 'bytes=5-1', 'bytes=0-1,2-3', 'x'],
  'If-Modified-Since': ['Mon, 01 Jan 2024 00:00:00 GMT', 'x'],
  'Idempotency-Key': ['a', 'x'.repeat(128), 'x'.repeat(129), 'ä', ''],
  'X-Service-Client': ['web', 'Not a slug', 'x'.repeat(65)],
  'X-Request-Id': ['forged', 'req_1'],
  Cookie: ['session=x', 'a=b; c', ';;;', `x=${'y'.repeat(3000)}`],
  Origin: ['null', 'https://evil.example'],
  'X-CSRF-Token': ['x'],
  Depth: ['0', '1', 'infinity', 'x'],
  Destination: ['/dav/projects/general/documents/moved.md', 'http://elsewhere/x', '/dav/%', ''],
  Overwrite: ['T', 'F', 'x'],
  If: ['(<opaquelocktoken:x>)', '((', ''],
  'Lock-Token': ['<opaquelocktoken:x>', 'x'],
  Timeout: ['Second-1', 'Infinite', 'x'],
  'X-HTTP-Method-Override': ['DELETE'],
  'X-Forwarded-Host': ['evil.example'],
}

// biome-ignore format: in one column nobody would read it
export const queryNames: readonly string[] = [
  'limit', 'cursor', 'since', 'wait', 'thread', 'view', 'revision', 'block', 'expectedRevision', 'leave', 'all', 'q', 'project', 'xylophone', '__proto__', 'constructor',
]
// biome-ignore format: in one column nobody would read it
export const queryValues: readonly string[] = [
  '', '1', '0', '-1', '100', '1e9', 'blocks', 'outline', 'x', '{messageId}', '{docId}', 'general', '00000000000000000000', 'k0000000', 'self', 'include', 'open',
]

/** Usual values of fields by name, so that a body passes the first checks. */
// biome-ignore format: in one column nobody would read it
export const fieldValues: Record<string, readonly unknown[]> = {
  name: ['Fuzz', 'tidy', 'A name'], title: ['A title'], body: ['Text.', '@[Ada]({ownerId}) hello'], type: ['open', 'closed', 'human', 'agent'], role: ['member', 'lead', 'admin'],
  project: ['general', 'sandbox'], projectId: ['general'], memberId: ['{agentId}'], messageId: ['{messageId}'], threadId: ['{messageId}'], parentId: ['{commentId}'],
  ids: [['{messageId}']], involvement: ['mentions', 'everything'], ttlSeconds: [5, 30], kind: ['work', 'question', 'viewing'], options: [['Yes', 'No']], assignees: [['{agentId}']],
  toColumn: ['done', 'todo'], before: [1], after: [1], scopes: [['*'], ['rooms:read']], uses: [1, 3], expiresAt: [1e13], url: ['https://agent.example/hook', null],
  events: [['mention']], revision: ['00000000000000000000'], files: [{ 'SKILL.md': '---\nname: tidy\ndescription: d\n---\n# T\n' }], expectedVersion: [0, 1],
  expectedDraftRevision: [0, 1], archived: [false], dir: ['app'], source: ['/nowhere', 'https://git.example/x'], email: ['a@example.org'],
  scheduledFor: ['2030-01-01T00:00:00Z', 1.9e12], isDraft: [true, false], resolution: ['Done.'], chosenOption: ['Yes'], invite: ['AAAA-BBBB-CCCC'], label: ['x'],
}

/** Pieces of multipart forms. */
// biome-ignore format: in one column nobody would read it
export const formPieces: readonly string[] = [
  '\r\n', '\n', '--', '--x', '--x--', 'Content-Disposition: form-data; name="file"', 'filename="a.txt"', '\r\n\r\n', '; ', '"', '\0', 'name*=', 'x',
]

// biome-ignore format: in one column nobody would read it
export const markdownPieces: readonly string[] = [
  '---\n', '---', '--- \n', '***\n', '===\n', '# ', '# Heading\n', '#\n', '## Part\n', 'Setext\n===\n', '> ', '- ', '1. ', '* [x] ', '    ', '\t', '\n', '\n\n', '\r\n', '\r', ' ', '  \n',
  '\\', '```\n', '~~~ js\n', '`', '``', '*', '**', '_', '~~', '[', ']', '(', ')', '![', '](x)', '[a]: b\n', '[a]: /u "t"\nbar\n---\n', '[^1]', '[^1]: note\n', '<b>', '</b>', '<!--', '-->',
  '<div>\n', '&amp;', '&#64;', '|', '| a | b |\n|--|--|\n', '[[Plan]]', '[[c:1]]', '![[n:x#y|z]]', 'www.x.org', 'https://x.org/', 'a', 'B', '漢字', '🚀', '\uFEFF', '\u2028',
  '\u00a0', 'id: x\n', 'tags: [a, b]\n', 'title: From the fence\n', '"quoted": "x"\n', '# comment\n', 'key: |\n  block\n\n', '- item\n', '  - deep\n', 'a: *x\n', 'a: &x 1\n', '{a: 1}\n',
  '__proto__: 1\n', '```mermaid\ngraph LR\nA-->B\n```\n', 'data:image/png;base64,AAAA', '> > > ', '((((', '[[[[', '****', '____',
]
