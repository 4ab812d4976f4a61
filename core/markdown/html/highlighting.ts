import type { ElementContent } from 'hast'
import { common, createLowlight } from 'lowlight'

const maxBlockLength = 50_000
const maxTotalLength = 200_000

const languages = createLowlight(common)

export class CodeHighlighter {
  #left = maxTotalLength

  highlight(code: string, language: string): ElementContent[] | null {
    if (code.length > Math.min(maxBlockLength, this.#left) || !languages.registered(language)) return null
    this.#left -= code.length
    return languages.highlight(language, code).children as ElementContent[]
  }
}
