import { onRender } from '../live.ts'

const fadeMs = 2500

export function highlightChanges(): void {
  let shownIds: Set<string> | null = null
  onRender((within) => {
    const prose = document.getElementById('prose')
    if (!prose || !within.contains(prose)) return
    const blocks = [...prose.querySelectorAll<HTMLElement>(':scope > [data-block]')]
    const previousIds = shownIds
    shownIds = new Set(blocks.map(({ dataset }) => dataset.block!))
    if (!previousIds) return
    const tint = getComputedStyle(document.documentElement).getPropertyValue('--accent-tint')
    for (const block of blocks) {
      if (previousIds.has(block.dataset.block!)) continue
      block.animate(
        [
          { backgroundColor: tint, boxShadow: `0 0 0 0.375rem ${tint}`, offset: 0 },
          { backgroundColor: tint, boxShadow: `0 0 0 0.375rem ${tint}`, offset: 0.6 },
          { backgroundColor: 'transparent', boxShadow: '0 0 0 0.375rem transparent', offset: 1 },
        ],
        { duration: fadeMs, id: 'changed' },
      )
    }
  })
}
