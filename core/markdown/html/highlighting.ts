import type { ElementContent } from 'hast'
import { common, createLowlight } from 'lowlight'

/** In UTF-16 code units: of a block, and of all blocks of a file. */
const maxBlockLength = 50_000
const maxTotalLength = 200_000

const languages = createLowlight(common)

export class CodeHighlighter {
  #left = maxTotalLength

  /** Null if the code stays as it is. */
  highlight(code: string, language: string): ElementContent[] | null {
    if (code.length > Math.min(maxBlockLength, this.#left) || !languages.registered(language)) return null
    this.#left -= code.length
    return languages.highlight(language, code).children as ElementContent[]
  }
}
