import { startDocument } from '../documents/document.ts'

export function start(): void {
  startDocument(document.querySelector('.reading')!)
}
