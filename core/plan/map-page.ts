import type { AskFacts } from '../asks/ask-facts.ts'
import type { CardFacts } from '../documents/types.ts'
import { escapeMarkdown } from '../escape-markdown.ts'
import { shortened } from './plan-page.ts'

export interface MapFacts {
  projectName: string
  cards: readonly CardFacts[]
  /** Null where the key may not see them. */
  asks: {
    /** Newest first. */
    open: readonly AskFacts[]
    /** The last one first. */
    resolved: readonly AskFacts[]
  } | null
}

/** A question of either kind, as the map draws and lists it. */
interface Question {
  /** Of its node. */
  node: string
  title: string
  isDecided: boolean
  answer: string[]
  /** Numbers of cards. */
  blockedBy: readonly number[]
  /** Where it is found: a path, or an id. */
  where: string
}

/** Beyond so many a drawing shows nothing. */
const mostShown = 200
/** How much of a title a node shows, in characters (code points). */
const longestLabel = 60

/** The text of `map.md`: the questions of a project, drawn by what waits for what, and listed with their answers. */
export function mapPage({ projectName, cards, asks }: MapFacts): string {
  const all = [
    ...cards.filter(({ isQuestion }) => isQuestion).map(ofCard),
    ...[...(asks?.open ?? []), ...(asks?.resolved ?? [])]
      .filter(({ kind }) => kind === 'question')
      .map(ofAsk),
  ]
  const shown = [...all.filter(isOpen), ...all.filter(({ isDecided }) => isDecided)].slice(0, mostShown)
  const parts = [
    `# ${escapeMarkdown(projectName)}: the questions`,
    ...(asks ? [] : ['Your key lacks asks:read: what it would show is left out.']),
    ...(shown.length > 0 ? [drawingOf(shown)] : []),
    `## Open\n\n${listOf(shown.filter(isOpen))}`,
    `## Decided\n\n${listOf(shown.filter(({ isDecided }) => isDecided))}`,
    ...(all.length > shown.length ? [`And ${all.length - shown.length} more.`] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

const isOpen = ({ isDecided }: Question) => !isDecided

const nodeOfCard = (number: number) => `card${number}`

const ofCard = ({ number, title, isClosed, resolution, blockedBy, path }: CardFacts): Question => ({
  node: nodeOfCard(number),
  title,
  isDecided: isClosed,
  answer: resolution === null ? [] : [resolution],
  blockedBy,
  where: path,
})

const ofAsk = ({ id, title, state, answer, options }: AskFacts): Question => ({
  node: id,
  title,
  isDecided: state === 'resolved',
  answer: state === 'resolved' ? answer : options,
  blockedBy: [],
  where: id,
})

function drawingOf(questions: readonly Question[]): string {
  const nodes = new Set(questions.map(({ node }) => node))
  const lines = questions.map(
    ({ node, title, isDecided }) => `  ${node}["${label(title)}"]${isDecided ? ':::decided' : ''}`,
  )
  const arrows = questions.flatMap(({ node, blockedBy }) =>
    blockedBy
      .map(nodeOfCard)
      .filter((blocker) => nodes.has(blocker))
      .map((blocker) => `  ${blocker} --> ${node}`),
  )
  const style = '  classDef decided fill:honeydew,stroke:seagreen'
  return ['```mermaid', 'graph TD', ...lines, ...arrows, style, '```'].join('\n')
}

/** A title within quotes of the drawing: all but letters, digits and plain punctuation by its code. */
const label = (title: string): string =>
  [...title.replace(/\s+/g, ' ').trim()]
    .slice(0, longestLabel)
    .map((character) =>
      /[\p{L}\p{M}\p{N} .,?!'()/-]/u.test(character) ? character : `#${character.codePointAt(0)};`,
    )
    .join('')

function listOf(questions: readonly Question[]): string {
  if (questions.length === 0) return 'None.'
  return questions.map(lineOf).join('\n')
}

function lineOf({ title, isDecided, answer, blockedBy, where }: Question): string {
  const separator = isDecided ? ': ' : ' / '
  const texts = answer.map(shortened).join(separator)
  const answered = texts === '' ? '' : ` · ${isDecided ? `**${texts}**` : texts}`
  const waits =
    blockedBy.length > 0 ? ` · waits for ${blockedBy.map((number) => `card ${number}`).join(', ')}` : ''
  return `- *${escapeMarkdown(title)}* · ${isDecided ? 'decided' : 'open'}${answered}${waits} · \`${where}\``
}
