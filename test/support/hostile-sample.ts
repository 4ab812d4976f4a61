import { renameMember } from './rename-member.ts'
import { sampleActions } from './sample-actions.ts'
import { hostileForge } from './sample-network.ts'
import type { SamplePage } from './sample-pages.ts'
import { addPresence, type Sample } from './sample-workspace.ts'
import { ScriptlessBrowser } from './scriptless-browser.ts'
import { uploadForm } from './upload-form.ts'

/** The script of all hostile texts. Member names cannot contain parentheses. */
const payload = 'globalThis.hacked=1'

/** Turns the direction of the text after it, unless it is isolated. */
export const bidi = '\u202E'

/** Each breaks out of another context in HTML. */
const script = `<script>${payload}</script>`
const image = `"><img src=x onerror=${payload}>`
const picture = `<svg onload=${payload}>`
const attribute = `' autofocus onfocus='${payload}' x='`
const turned = `${bidi}evil`

const fence = '```'

const hostileMarkdown = `
${script} ${image} <a href="javascript:${payload}">a</a> <svg><script>${payload}</script></svg> <!-- ${script} -->
<iframe src="javascript:${payload}"></iframe><style>@import 'https://evil.example/x.css'</style>

<div onclick="${payload}" style="background: url(https://evil.example/x)">
<form action="https://evil.example/"><button formaction="javascript:${payload}">b</button></form>

[one](javascript:${payload}) [two](JaVa&#115;cript:${payload}) [three](data:text/html,${script}) [four](//evil.example/x)
[five](vbscript:${payload}) [six](\\\\evil.example/x) [seven][r] <javascript:${payload}> <https://evil.example/?${script}>

![one](javascript:${payload}) ![two](https://evil.example/pixel.png) ![three](data:image/svg+xml,${picture}) ![${image}](x.png)

[[${image}]] ![[${image}]] [[A|${script}]] @[${script}](mem_nobody) [^n${script}] [^n]

| ${script} | ${image} |
| --- | --- |
| ${picture} | \`${script}\` |

## ${script} ${image}

- [ ] ${picture}

${fence}"><script>${payload}</script>
${script}
${fence}

${fence}html
${script}${image}
${fence}

${fence}mermaid
graph LR
  A["${script.replaceAll('"', '')}"] --> B["<img src=x onerror=${payload}>"]
  click A "javascript:${payload}"
  click B call ${payload}
  style A fill:url(https://evil.example/x)
${fence}

[r]: javascript:${payload}
[^n]: ${script}
`

/** Fills the sample's names and texts with script and turned text. @returns the pages of what was added */
export async function makeHostile(sample: Sample): Promise<SamplePage[]> {
  const { ids, people } = sample
  const { ada, grace, linus, mira, scout } = people
  const { send, sendMessage, writeDocument } = sampleActions(sample)
  const tree = '/v1/fs/projects/harbour'

  const rename = (path: string, fields: object) => send(ada, 'PATCH', path, fields)
  const about = { statusText: image, description: script }
  // Such names are refused today; members may have one from an earlier version.
  await renameMember(sample.home, grace.member.id, turned)
  await renameMember(sample.home, linus.member.id, script.slice(0, 80))
  await renameMember(sample.home, scout.member.id, image)
  for (const { member } of [grace, linus, scout]) await rename(`/api/members/${member.id}`, about)
  await rename(`/api/rooms/${ids.release}`, { name: turned, description: image })
  await rename(`/api/rooms/${ids.founders}`, { name: script, description: picture })
  await rename('/v1/projects/harbour', { name: `${bidi}${image}` })
  await new ScriptlessBrowser(sample, `${script}${image}`).signIn(ada.key)
  await send(ada, 'POST', `/api/members/${scout.member.id}/keys`, { label: image })

  const thread = await sendMessage(mira, ids.release, hostileMarkdown)
  await sendMessage(linus, ids.release, hostileMarkdown, thread)
  for (const body of [
    script,
    image,
    picture,
    `@[${image}](${scout.member.id})`,
    `${turned}\njavascript:${payload}`,
  ])
    await sendMessage(grace, ids.release, body)
  await send(grace, 'POST', `/v1/posts/${ids.post}/comments`, { body: hostileMarkdown })

  const fields = `tags: [${JSON.stringify(script)}]\n${JSON.stringify(image)}: ${JSON.stringify(picture)}\n`
  const document = await writeDocument(
    linus,
    'docs/x.md',
    `---\n${fields}---\n\n# ${bidi}${script} ${image}\n${hostileMarkdown}`,
  )
  const { revisions } = await send(ada, 'GET', `${document.path}/_revisions`)
  await send(ada, 'PUT', document.path, `# ${turned}\n\n${attribute}\n${hostileMarkdown}\n${picture}`)
  const post = await writeDocument(grace, 'posts/x.md', `# ${bidi}${image} ${attribute}\n${hostileMarkdown}`)
  const draft = await writeDocument(
    ada,
    'drafts/x.md',
    `---\n${fields}---\n\n# ${script}\n${hostileMarkdown}`,
  )
  const card = `kind: question\nlabels: [${JSON.stringify(script)}, ${JSON.stringify(image)}]\nresolution: ${JSON.stringify(script)}`
  await writeDocument(
    linus,
    'board/02-todo/x.md',
    `---\n${card}\n---\n\n# ${bidi}${image}\n${hostileMarkdown}`,
  )
  const ask = { project: 'harbour', title: `${bidi}${image}`, body: hostileMarkdown }
  await send(grace, 'POST', '/api/asks', { ...ask, kind: 'question', options: [script, image] })
  await send(grace, 'POST', '/api/asks', ask)
  await send(ada, 'PUT', `${tree}/plan.md`, hostileMarkdown)
  await send(
    ada,
    'PUT',
    `${tree}/links.md`,
    `- [${image}](https://evil.example/?"onmouseover=${payload}): ${script}\n`,
  )

  const upload = async (name: string, bytes: string) =>
    send(mira, 'POST', `${tree}/library/files`, undefined, await uploadForm(['file', bytes, name]))
  await upload(`' onerror='${payload}'.html`, script)
  await upload(`${bidi}gnp.svg`, `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`)
  const files = {
    'SKILL.md': `---\nname: hostile\ndescription: ${JSON.stringify(image)}\n---\n${hostileMarkdown}`,
    'x.html': script,
  }
  const skill = { project: 'harbour', name: 'hostile', expectedVersion: 0 }
  await send(linus, 'POST', '/v1/skills', { ...skill, files, expectedDraftRevision: 0 })
  await send(linus, 'POST', '/v1/skills/publish', { ...skill, expectedDraftRevision: 1 })
  await send(ada, 'POST', '/v1/projects', { name: script, slug: 'hostile' })
  const { source } = (await send(ada, 'GET', '/v1/projects/harbour/repositories')).repositories[0]
  await send(ada, 'POST', '/v1/projects/hostile/repositories', { dir: 'app', source, forge: hostileForge })

  await addPresence(sample)
  await send(grace, 'POST', `${document.path}/_presence?kind=editing`)
  await send(linus, 'POST', `${document.path}/_presence?kind=viewing`)
  const older = revisions[0].revision
  const pageOf = ({ url }: { url: string }) => new URL(url).pathname
  return [
    { name: 'hostile-thread', path: `/rooms/${ids.release}?thread=${thread}` },
    { name: 'hostile-document', path: pageOf(document) },
    { name: 'hostile-document-history', path: `${pageOf(document)}?history` },
    { name: 'hostile-revision', path: `${pageOf(document)}?revision=${older}` },
    { name: 'hostile-differences', path: `${pageOf(document)}?diff=${older}` },
    { name: 'hostile-edit', path: pageOf(document).replace('/docs/', '/edit/docs/') },
    { name: 'hostile-post', path: pageOf(post) },
    { name: 'hostile-draft', path: pageOf(draft) },
    { name: 'hostile-card', path: '/projects/harbour/board/21' },
    { name: 'hostile-skill', path: '/projects/harbour/skills/hostile' },
    { name: 'hostile-skill-file', path: '/projects/harbour/skills/hostile/x.html' },
    { name: 'hostile-code', path: '/projects/harbour/repositories/app/page.html' },
    { name: 'hostile-pulls', path: '/projects/hostile/pulls' },
    { name: 'hostile-pull', path: '/projects/hostile/pulls/66' },
    { name: 'hostile-search', path: `/search?q=${encodeURIComponent(`${image} hacked`)}` },
    { name: 'hostile-member', path: `/members/${grace.member.id}`, as: 'linus' },
    { name: 'hostile-sign-in', path: `/signin?next=${encodeURIComponent(`/${image}`)}`, as: null },
  ]
}
