import { onRender } from '../live.ts'

export function showPresenceMarks(text: HTMLElement): void {
  const layer = document.createElement('div')
  layer.ariaHidden = 'true'
  text.append(layer)
  const draw = () => layer.replaceChildren(...createMarks())
  onRender(draw)
  new ResizeObserver(draw).observe(text)
}

function createMarks(): HTMLElement[] {
  const prose = document.getElementById('prose')
  const presentMembers = document.querySelectorAll<HTMLElement>('#here [data-at]')
  return [...presentMembers].flatMap(({ dataset }) => {
    const block = prose?.querySelector<HTMLElement>(`:scope > [data-block="${CSS.escape(dataset.at!)}"]`)
    if (!block) return []
    const mark = document.createElement('div')
    mark.className = 'at-block'
    mark.style.top = `${block.offsetTop}px`
    mark.style.height = `${block.offsetHeight}px`
    const name = document.createElement('span')
    name.textContent = dataset.name ?? ''
    mark.append(name)
    return mark
  })
}
