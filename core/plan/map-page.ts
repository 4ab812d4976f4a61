import { escapeMarkdown } from '../text/escape-markdown.ts'
import { truncateAnswer } from './plan-page.ts'
import type { Question, QuestionMap } from './question-map.ts'

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
    `## Open\n\n${formatList(questions.filter(({ isDecided }) => !isDecided))}`,
    `## Decided\n\n${formatList(questions.filter(({ isDecided }) => isDecided))}`,
    ...(omittedCount > 0 ? [`And ${omittedCount} more.`] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function formatList(questions: readonly Question[]): string {
  if (questions.length === 0) return 'None.'
  return questions.map(lineOf).join('\n')
}

function lineOf({ title, isDecided, answer, blockedBy, where }: Question): string {
  const separator = isDecided ? ': ' : ' / '
  const texts = answer.map(truncateAnswer).join(separator)
  const answered = texts === '' ? '' : ` · ${isDecided ? `**${texts}**` : texts}`
  const waits =
    blockedBy.length > 0 ? ` · waits for ${blockedBy.map((number) => `card ${number}`).join(', ')}` : ''
  return `- *${escapeMarkdown(title)}* · ${isDecided ? 'decided' : 'open'}${answered}${waits} · \`${where}\``
}
