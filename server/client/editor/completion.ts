import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { call } from '../api.ts'

/** Completes members after `@` and links after `[[`. @param notifiesMentions whether mentions notify */
export function completions(project: string, notifiesMentions: boolean): Extension {
  return autocompletion({
    override: [memberSource(notifiesMentions), referenceSource(project)],
    icons: false,
    closeOnBlur: true,
  })
}

const broadcasts: Completion[] = [
  { label: '@here', detail: 'active members', apply: '@[here](__here__)' },
  { label: '@channel', detail: 'everyone in this project', apply: '@[channel](__channel__)' },
  { label: '@everyone', detail: 'everyone in the workspace', apply: '@[everyone](__everyone__)' },
]

function memberSource(notifiesMentions: boolean): CompletionSource {
  let cached: Promise<Completion[]> | null = null
  const load = async () => {
    const { text } = await call('GET', '/api/members')
    const members = JSON.parse(text) as { name: string; type: string }[]
    const named = members.map(({ name, type }) => ({
      label: `@${name}`,
      ...(type === 'agent' && { detail: 'agent' }),
    }))
    return [...named, ...(notifiesMentions ? broadcasts : [])]
  }
  return async (context) => {
    const typed = context.matchBefore(/(?<![\p{L}\p{N}])@[^@\n]{0,40}/u)
    if (!typed) return null
    cached ??= load()
    const options = await cached.catch(() => {
      cached = null
      return []
    })
    return { from: typed.from, options, validFor: /^@[^@\n]{0,40}$/ }
  }
}

interface Ref {
  token: string
  type: string
  title: string
}

const types: Record<string, string> = {
  document: 'document',
  post: 'post',
  card: 'card',
  pull: 'pull request',
}

const maxRefs = 20
const typedLink = /\[\[[^[\]\n]{1,100}/

function referenceSource(project: string): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(typedLink)
    if (!typed) return null
    const controller = new AbortController()
    context.addEventListener('abort', () => controller.abort())
    const query = encodeURIComponent(typed.text.slice(2))
    const path = `/v1/fs/projects/${encodeURIComponent(project)}/refs?q=${query}`
    const refs = await call('GET', path, { signal: controller.signal }).then(
      ({ json }) => json.refs as Ref[],
      () => [],
    )
    return resultOf(typed.from, refs, refs.length < maxRefs)
  }
}

/** Keeps complete results while typing goes on: an option clicked during a new request would do nothing. */
function resultOf(from: number, refs: Ref[], isComplete: boolean): CompletionResult {
  return {
    from,
    options: refs.map(optionOf),
    filter: false,
    update(_, start, _to, context) {
      const typed = context.matchBefore(typedLink)
      const query = fold(typed?.text.slice(2) ?? '')
      if (!isComplete || typed?.from !== start || /^#?\d+$/.test(query)) return null
      const remaining = refs.filter(({ title }) => fold(title).includes(query))
      return remaining.length === 0
        ? null
        : { ...resultOf(start, refs, true), options: remaining.map(optionOf) }
    },
  }
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const optionOf = (ref: Ref): Completion => ({
  label: ref.title,
  detail: types[ref.type] ?? ref.type,
  apply: (view: EditorView, _: Completion, from: number, to: number) => insert(view, ref, from, to),
})

/** Adds the title to a token with an id, which is unreadable. */
function insert(view: EditorView, { token, title, type }: Ref, from: number, to: number): void {
  const isPlain = type === 'card' || type === 'pull' || /[[\]|\\]/.test(title)
  const text = isPlain ? token : token.replace(/\]\]$/, `|${title}]]`)
  const end = view.state.sliceDoc(to, to + 2) === ']]' ? to + 2 : to
  view.dispatch({
    changes: { from, to: end, insert: text },
    selection: { anchor: from + text.length },
    userEvent: 'input.complete',
  })
}
