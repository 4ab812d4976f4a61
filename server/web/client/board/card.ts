import { answerQuestion } from './card-answer.ts'
import { editFields } from './card-fields.ts'

/** What can be changed on the page of a card. @param aside within the page */
export function start(aside: HTMLElement): void {
  const page = aside.closest<HTMLElement>('.reading')!
  editFields(page)
  answerQuestion(page)
}
