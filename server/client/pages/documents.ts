import { dragDocuments } from '../documents/dragging.ts'
import { ListChanges } from '../documents/list-changes.ts'

export function start(): void {
  const list = document.getElementById('list')!
  new ListChanges(list).follow(list)
  dragDocuments(list)
}
