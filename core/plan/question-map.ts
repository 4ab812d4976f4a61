import type { AskDetails } from '../asks/ask-details.ts'
import type { PlannedCard } from '../documents/model/types.ts'

interface MapSources {
  projectName: string
  cards: readonly PlannedCard[]
  /** Null where the key may not see them. */
  asks: {
    /** Newest first. */
    open: readonly AskDetails[]
    /** The last one first. */
    resolved: readonly AskDetails[]
  } | null
}

/** A question of either kind, as the map draws and lists it. */
export interface Question {
  /** Of its node. */
  node: string
  title: string
  isDecided: boolean
  /** What was answered; of an open one what may be. */
  answer: string[]
  /** Numbers of cards. */
  blockedBy: readonly number[]
  /** Where it is found: a path under `/v1/fs`, or the id of an ask. */
  where: string
  /** Of a card; null: it is an ask. */
  number: number | null
}

/** The questions of a project, drawn by what waits for what. */
export interface QuestionMap {
  projectName: string
  /** Open ones first, as many as are shown. */
  questions: Question[]
  /** From what is waited for to what waits, by their nodes. */
  arrows: { from: string; to: string }[]
  /** Mermaid's text, without a fence; null where there is nothing to draw. */
  drawing: string | null
  /** How many more there are. */
  left: number
  /** The scopes that the reader's key lacks: what they would show is left out. */
  lacks: string[]
}

/** Beyond so many a drawing shows nothing. */
const maxQuestions = 200
/** How much of a title a node shows, in characters (code points). */
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
    ({ node, title, isDecided }) => `  ${node}["${label(title)}"]${isDecided ? ':::decided' : ''}`,
  )
  const drawn = arrows.map(({ from, to }) => `  ${from} --> ${to}`)
  return ['graph TD', ...lines, ...drawn, '  classDef decided fill:honeydew,stroke:seagreen'].join('\n')
}

/** A title within quotes of the drawing: all but letters, digits and plain punctuation by its code. */
const label = (title: string): string =>
  [...title.replace(/\s+/g, ' ').trim()]
    .slice(0, maxLabelLength)
    .map((character) =>
      /[\p{L}\p{M}\p{N} .,?!'()/-]/u.test(character) ? character : `#${character.codePointAt(0)};`,
    )
    .join('')
