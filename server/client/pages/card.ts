import { answerQuestion } from '../board/card-answer.ts'
import { editFields } from '../board/card-fields.ts'
import { startDocument } from '../documents/document.ts'

export function start(): void {
  const page = document.querySelector<HTMLElement>('.reading')!
  startDocument(page)
  editFields(page)
  answerQuestion(page)
}
