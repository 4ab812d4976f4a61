import type { AskDetails } from '../asks/ask-details.ts'
import type { PlannedCard } from '../documents/model/types.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import { truncateAnswer } from './plan-page.ts'

interface MapSources {
  projectName: string
  cards: readonly PlannedCard[]
  /** Null if the key may not read them. */
  asks: {
    open: readonly AskDetails[]
    resolved: readonly AskDetails[]
  } | null
}

export interface Question {
  node: string
  title: string
  isDecided: boolean
  /** The answer; for an open question, the options. */
  answer: string[]
  blockedBy: readonly number[]
  /** A path under `/v1/fs`, or the id of an ask. */
  where: string
  number: number | null
}

export interface QuestionMap {
  projectName: string
  /** Open ones first. */
  questions: Question[]
  /** Node ids, from the blocking card to the blocked one. */
  arrows: { from: string; to: string }[]
  /** Mermaid's text, without a fence; null without questions. */
  drawing: string | null
  left: number
  lacks: string[]
}

const maxQuestions = 200
const maxLabelLength = 60

export function questionMap({ projectName, cards, asks }: MapSources): QuestionMap {
  const all = [
    ...cards.filter(({ isQuestion }) => isQuestion).map(questionFromCard),
    ...[...(asks?.open ?? []), ...(asks?.resolved ?? [])]
      .filter(({ kind }) => kind === 'question')
      .map(questionFromAsk),
  ]
  const questions = [
    ...all.filter(({ isDecided }) => !isDecided),
    ...all.filter(({ isDecided }) => isDecided),
  ].slice(0, maxQuestions)
  const nodes = new Set(questions.map(({ node }) => node))
  const arrows = questions.flatMap(({ node, blockedBy }) =>
    blockedBy
      .map(nodeOfCard)
      .filter((blocker) => nodes.has(blocker))
      .map((blocker) => ({ from: blocker, to: node })),
  )
  return {
    projectName,
    questions,
    arrows,
    drawing: questions.length > 0 ? drawingOf(questions, arrows) : null,
    left: all.length - questions.length,
    lacks: asks ? [] : ['asks:read'],
  }
}

const nodeOfCard = (number: number) => `card${number}`

const questionFromCard = ({
  number,
  title,
  isClosed,
  resolution,
  blockedBy,
  path,
}: PlannedCard): Question => ({
  node: nodeOfCard(number),
  title,
  isDecided: isClosed,
  answer: resolution === null ? [] : [resolution],
  blockedBy,
  where: path,
  number,
})

const questionFromAsk = ({ id, title, state, answer, options }: AskDetails): Question => ({
  node: id,
  title,
  isDecided: state === 'resolved',
  answer: state === 'resolved' ? answer : options,
  blockedBy: [],
  where: id,
  number: null,
})

function drawingOf(questions: readonly Question[], arrows: QuestionMap['arrows']): string {
  const lines = questions.map(
    ({ node, title, isDecided }) => `  ${node}["${escapeLabel(title)}"]${isDecided ? ':::decided' : ''}`,
  )
  const arrowLines = arrows.map(({ from, to }) => `  ${from} --> ${to}`)
  return ['graph TD', ...lines, ...arrowLines, '  classDef decided fill:honeydew,stroke:seagreen'].join('\n')
}

/** Escapes all but letters, digits and plain punctuation for a quoted Mermaid label. */
const escapeLabel = (title: string): string =>
  [...title.replace(/\s+/g, ' ').trim()]
    .slice(0, maxLabelLength)
    .map((character) =>
      /[\p{L}\p{M}\p{N} .,?!'()/-]/u.test(character) ? character : `#${character.codePointAt(0)};`,
    )
    .join('')

export function mapMarkdown({
  projectName,
  questions,
  drawing,
  left: omittedCount,
  lacks,
}: QuestionMap): string {
  const parts = [
    `# ${escapeMarkdown(projectName)}: the questions`,
    ...(lacks.length > 0 ? [`Your key lacks ${lacks.join(' and ')}: those entries are omitted.`] : []),
    ...(drawing === null ? [] : [`\`\`\`mermaid\n${drawing}\n\`\`\``]),
    `## Open\n\n${questionList(questions.filter(({ isDecided }) => !isDecided))}`,
    `## Decided\n\n${questionList(questions.filter(({ isDecided }) => isDecided))}`,
    ...(omittedCount > 0 ? [`And ${omittedCount} more.`] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function questionList(questions: readonly Question[]): string {
  if (questions.length === 0) return 'None.'
  return questions.map(questionLine).join('\n')
}

function questionLine({ title, isDecided, answer, blockedBy, where }: Question): string {
  const separator = isDecided ? ': ' : ' / '
  const texts = answer.map(truncateAnswer).join(separator)
  const answered = texts === '' ? '' : ` · ${isDecided ? `**${texts}**` : texts}`
  const waits =
    blockedBy.length > 0 ? ` · waits for ${blockedBy.map((number) => `card ${number}`).join(', ')}` : ''
  return `- *${escapeMarkdown(title)}* · ${isDecided ? 'decided' : 'open'}${answered}${waits} · \`${where}\``
}
