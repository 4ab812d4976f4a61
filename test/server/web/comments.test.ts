import t from 'tap'
import { openPages, pages, partOf } from '../../support/open-pages.ts'

const { workroom, grace, ada, gracesBrowser, put } = await openPages(t)
const { owner, workspace } = workroom

t.test(
  'comments are shown below a post with their replies, which stay when their comment is deleted',
  async (t) => {
    const post = await put('posts/talk.md', '# Let us talk\n\nAbout it.\n')
    const say = async (body: string, key: string, parentId?: string): Promise<string> => {
      const response = await workroom.request('POST', `/v1/posts/${post.id}/comments`, {
        key,
        body: { body, ...(parentId && { parentId }) },
      })
      return response.json.comment._id
    }
    t.match(await ada.main(post.page), /No comments yet[\s\S]*data-call="POST \/v1\/posts/)
    const first = await say(`A **bold** word, @[Grace Hopper](${grace.member.id})`, owner.key)
    const reply = await say('A <i>reply</i>', grace.key, first)
    const second = await say('Another', grace.key)
    const graces = await gracesBrowser.main(post.page)
    t.match(
      graces,
      new RegExp(
        `id="${first}"[\\s\\S]*<strong>bold</strong>[\\s\\S]*class="mention"[\\s\\S]*class="replies"[\\s\\S]*id="${reply}"[\\s\\S]*id="${second}"`,
      ),
    )
    t.notMatch(graces, '<i>')
    t.match(graces, `name="parentId" value="${first}"`)
    t.notMatch(graces, `name="parentId" value="${reply}"`, 'a reply cannot be replied to')
    t.match(graces, `DELETE /v1/posts/${post.id}/comments/${reply}`)
    t.notMatch(graces, `DELETE /v1/posts/${post.id}/comments/${first}`, 'only her own can be deleted')
    t.match(graces, `data-unread="${first}"`, 'the page marks an unread mention of its reader')
    await workroom.request('DELETE', `/v1/posts/${post.id}/comments/${first}`)
    const after = await ada.main(post.page)
    t.match(after, /This comment was deleted\.[\s\S]*class="replies"/)
    t.notMatch(after, 'bold')
    t.match(
      await ada.main(`${pages}/posts`),
      /Let us talk<\/bdi><\/a><br>\s*<small>[\s\S]*?2 comments, the last/,
    )
    t.match(await ada.main(`${post.page}?comments=${second}`), /Show the first comments/)
    t.equal((await ada.open(`${post.page}?comments=none`)).status, 400)
  },
)

t.test('a block is chosen, commented on and the comment answered without script', async (t) => {
  const { page } = await put('docs/more.md', '# More\n\nHigh water.\n\n## Low water\n\nNobody knows.\n')
  const decoded = (text: string) => text.replaceAll('&amp;', '&')
  /** Sends a form of a page as a browser would. @returns where the response leads */
  const send = async (main: string, formWith: string, body: string) => {
    const form = main
      .match(/<form method="post" action="\/comments"[\s\S]*?<\/form>/g)!
      .find((one) => one.includes(formWith))!
    const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const fields = hidden.map(([, name, value]) => [name, decoded(value!)])
    const { status, headers } = await ada.submit('/comments', { ...Object.fromEntries(fields), body })
    t.equal(status, 303)
    t.match(headers.location, /\?at=cmt_\w+#cmt_/)
    return ada.main(headers.location!.split('#')[0]!)
  }
  const choose = /href="([^"]*)">Choose a block</.exec(await ada.main(page))![1]!
  const choosing = await ada.main(decoded(choose).split('#')[0]!)
  const block = /<a[^>]* href="([^"]*)"[^>]*>(?:(?!<\/a>)[\s\S])*Nobody knows\./.exec(choosing)![1]!
  const chosen = await ada.main(decoded(block).split('#')[0]!)
  t.match(partOf(chosen, 'comment-about'), 'On <q>Nobody knows.</q>')
  const commented = await send(chosen, 'id="comment-form"', 'I do.')
  t.match(commented, '1 comment on this block')
  t.match(commented, 'I do.')
  const answered = await send(commented, 'name="parentId"', 'Neither do I.')
  t.match(answered, '2 comments on this block')
  t.match(answered, 'Neither do I.')
})

t.test('the address of a comment opens the page that holds it, even after 1,000 others', async (t) => {
  const post = await put('posts/y.md', '# Much said\n\nText.\n')
  const me = workspace.stores.members.authenticate(owner.key)!
  const say = async (body: string) => (await workspace.comments.posts.post(me, post.id, { body })).comment
  const first = await say('Said zuerst.')
  await Promise.all(Array.from({ length: 1000 }, (_, number) => say(`Comment ${number}`)))
  const last = await say(`Said zuletzt, @[Grace Hopper](${grace.member.id}).`)
  const found = async (word: string) => {
    const { json } = await workroom.request('GET', `/v1/search?q=${word}`)
    const { pathname, search, hash } = new URL(json.results[0].url)
    return { page: pathname + search, id: hash.slice(1) }
  }
  for (const [word, comment, isFirst] of [
    ['zuerst', first, true],
    ['zuletzt', last, false],
  ] as const) {
    const { page, id } = await found(word)
    t.equal(id, comment._id)
    const main = await ada.main(page)
    t.match(main, new RegExp(`<li id="${id}"[\\s\\S]*${word}`))
    t.equal(main.includes('Show the first comments'), !isFirst)
  }
  const [mention] = workspace.inbox.mentions.unread(workspace.stores.members.authenticate(grace.key)!)
  t.match(mention, { id: last._id, url: `${workroom.url}${post.page}?at=${last._id}#${last._id}` })
  t.match(await ada.main(`${post.page}?at=cmt_of_nothing`), 'Said zuerst.')
})
