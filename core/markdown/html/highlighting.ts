import type { ElementContent } from 'hast'
import { common, createLowlight } from 'lowlight'

/** The longest block of code that is coloured, and how much of all blocks of a file, in UTF-16 code units. */
const maxBlockLength = 50_000
const maxTotalLength = 200_000

const languages = createLowlight(common)

/** Colours the code of one file, as long as there is not too much of it. */
export class CodeHighlighter {
  #left = maxTotalLength

  /** The tokens of a block of code; null where it stays as it is. */
  highlight(code: string, language: string): ElementContent[] | null {
    if (code.length > Math.min(maxBlockLength, this.#left) || !languages.registered(language)) return null
    this.#left -= code.length
    return languages.highlight(language, code).children as ElementContent[]
  }
}
