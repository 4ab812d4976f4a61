import { answerQuestion } from './card-answer.ts'
import { editFields } from './card-fields.ts'

export function start(aside: HTMLElement): void {
  const page = aside.closest<HTMLElement>('.reading')!
  editFields(page)
  answerQuestion(page)
}
