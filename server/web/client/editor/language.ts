import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { Language, LanguageSupport } from '@codemirror/language'
import { Prec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { BlockContext, Line, MarkdownConfig, MarkdownParser } from '@lezer/markdown'

const fence = /^---[ \t]*$/

/** Frontmatter is no heading, as markdown alone would have it. */
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

/** Markdown as GitHub has it. The languages of code in it are left out: they weigh more than all the rest. */
export function markdown(): LanguageSupport {
  const parser = (markdownLanguage.parser as MarkdownParser).configure(frontmatter)
  const language = new Language(markdownLanguage.data, parser, [], 'markdown')
  return new LanguageSupport(language, [Prec.high(keymap.of(markdownKeymap))])
}
