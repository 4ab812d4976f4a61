import { onRender } from '../live.ts'

/** Filters by words, assignee and label, and keeps these in the URL. */
export function filterCards(board: HTMLElement): void {
  const form = document.getElementById('board-filter') as HTMLFormElement | null
  if (!form) return
  form.hidden = false
  const readCriteria = () => {
    const fields = new FormData(form)
    return {
      q: String(fields.get('q')).trim(),
      assignee: String(fields.get('assignee')),
      label: String(fields.get('label')),
    }
  }
  let isFiltered = false
  const apply = () => {
    const { q, assignee, label } = readCriteria()
    const wasFiltered = isFiltered
    isFiltered = [q, assignee, label].some((one) => one !== '')
    if (!isFiltered && !wasFiltered) return
    const words = q.toLowerCase().split(/\s+/)
    for (const list of board.querySelectorAll<HTMLElement>('.cards')) {
      const cards = [...list.querySelectorAll<HTMLElement>(':scope > .card')]
      for (const card of cards) {
        const people = listIn(card.dataset.people)
        const labels = listIn(card.dataset.labels)
        const title = card.querySelector('.card-title')?.textContent ?? ''
        const text = [card.dataset.number, title, ...labels, ...people].join(' ').toLowerCase()
        const isShown =
          words.every((word) => text.includes(word)) &&
          (assignee === '' || (assignee === '-' ? people.length === 0 : people.includes(assignee))) &&
          (label === '' || labels.includes(label))
        card.hidden = !isShown
      }
      updateCount(list, cards.filter(({ hidden }) => !hidden).length, cards.length)
    }
  }
  form.addEventListener('input', () => {
    apply()
    const address = new URL(location.href)
    for (const [name, value] of Object.entries(readCriteria())) {
      if (value === '') address.searchParams.delete(name)
      else address.searchParams.set(name, value)
    }
    history.replaceState(history.state, '', address)
  })
  onRender(apply)
}

const listIn = (json = '[]') => JSON.parse(json) as string[]

function updateCount(list: HTMLElement, shown: number, total: number): void {
  const element = list.parentElement?.querySelector<HTMLElement>('.count')
  if (element)
    element.textContent = shown === total ? (element.dataset.all ?? '') : `${shown} of ${element.dataset.all}`
}
