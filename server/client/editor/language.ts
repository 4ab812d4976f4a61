import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { Language, LanguageSupport } from '@codemirror/language'
import { Prec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { BlockContext, Line, MarkdownConfig, MarkdownParser } from '@lezer/markdown'

const fence = /^---[ \t]*$/

/** Markdown alone would parse frontmatter as a heading. */
const frontmatter: MarkdownConfig = {
  defineNodes: [{ name: 'Frontmatter', block: true, style: tags.meta }],
  parseBlock: [
    {
      name: 'Frontmatter',
      before: 'HorizontalRule',
      parse(context: BlockContext, line: Line) {
        if (context.lineStart !== 0 || !fence.test(line.text)) return false
        while (context.nextLine()) {
          if (!fence.test(line.text)) continue
          context.nextLine()
          break
        }
        context.addElement(context.elt('Frontmatter', 0, context.prevLineEnd()))
        return true
      },
    },
  ],
}

/** GitHub's markdown, without highlighting in code: its languages are larger than all other scripts. */
export function markdown(): LanguageSupport {
  const parser = (markdownLanguage.parser as MarkdownParser).configure(frontmatter)
  const language = new Language(markdownLanguage.data, parser, [], 'markdown')
  return new LanguageSupport(language, [Prec.high(keymap.of(markdownKeymap))])
}
