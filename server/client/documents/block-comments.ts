import { onRender } from '../live.ts'

const blocks = ':is(#prose, .part) > [data-block]'
const maxQuoteLength = 200

/** Offers to comment on the block under the pointer. A link above the field does the same for keyboards. */
export function commentOnBlocks(text: HTMLElement): void {
  followMarks()
  const link = document.getElementById('comment-link')
  const about = document.getElementById('comment-about')
  if (!link || !about) return
  let hoveredBlock: HTMLElement | null = null
  const show = (block: HTMLElement | null) => {
    hoveredBlock = block
    link.hidden = block === null
    if (block) link.style.top = `${block.offsetTop + (hasMark(block) ? 32 : 0)}px`
  }
  const blockAt = (target: EventTarget | null) =>
    target instanceof Element && !link.contains(target) ? target.closest<HTMLElement>(blocks) : null
  text.addEventListener('pointerover', ({ pointerType, target }) => {
    const block = pointerType === 'mouse' ? blockAt(target) : null
    if (block) show(block)
  })
  text.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && show(null))
  // On touch screens, pointer events also come from scrolling.
  document.addEventListener('click', ({ target }) => {
    if (!matchMedia('(hover: none)').matches || link.contains(target as Node)) return
    show(isControl(target) ? null : blockAt(target))
  })
  const choice = new ChosenBlock(about)
  link.addEventListener('click', (event) => {
    event.preventDefault()
    if (hoveredBlock) choice.choose(hoveredBlock)
    show(null)
  })
}

const hasMark = (block: HTMLElement) => block.previousElementSibling?.matches('.block-comments') ?? false

const isControl = (target: EventTarget | null) =>
  target instanceof Element && target.closest('a, button, input, summary, textarea') !== null

class ChosenBlock {
  private readonly about: HTMLElement
  private block: HTMLElement | null = null

  constructor(about: HTMLElement) {
    this.about = about
    about.addEventListener('click', (event) => {
      if (!(event.target as Element).closest('[data-about-whole]')) return
      event.preventDefault()
      this.clear()
      this.field.focus()
    })
    const form = about.closest('form')!
    form.addEventListener('called', () => this.clear())
    // Edits by others change the block's id.
    onRender(() => {
      if (this.block?.isConnected) this.value = this.block.dataset.block!
    })
  }

  choose(block: HTMLElement): void {
    this.block = block
    this.value = block.dataset.block!
    this.about.querySelector('q')!.textContent = quoteOf(block)
    this.show('block')
    this.field.focus()
    this.about.closest('form')!.scrollIntoView({ block: 'nearest' })
  }

  private clear(): void {
    this.block = null
    this.value = ''
    this.show('whole')
  }

  private set value(id: string) {
    this.about.querySelector<HTMLInputElement>('[name="block"]')!.value = id
  }

  private get field(): HTMLTextAreaElement {
    return this.about.closest('form')!.querySelector('textarea')!
  }

  private show(mode: 'block' | 'whole'): void {
    for (const line of this.about.querySelectorAll<HTMLElement>('[data-about]'))
      line.hidden = line.dataset.about !== mode
  }
}

function quoteOf(block: HTMLElement): string {
  const text = block.innerText.replaceAll(/\s+/g, ' ').trim()
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text
}

/** Scrolls to comments that are already on the page. */
function followMarks(): void {
  document.addEventListener('click', (event) => {
    const mark = (event.target as Element).closest<HTMLElement>('.block-comments')
    const id = mark?.dataset.comment
    if (id === undefined || !document.getElementById(id) || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    location.hash = id
  })
}
