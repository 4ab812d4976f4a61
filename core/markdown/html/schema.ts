import type { Schema } from 'hast-util-sanitize'

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

const ownDirection = { dir: 'auto' }

/** Everything that a rendered file may contain: a second defence against what a library might let through. */
export const schema: Schema = {
  // biome-ignore format: one name per line would be unreadable
  tagNames: [
    ...headings, 'p', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'hr', 'br', 'em', 'strong', 'del', 'sup', 'a', 'img',
    'input', 'div', 'section', 'span', 'bdi', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'figure',
  ],
  attributes: {
    '*': [['dataBlock', /^k[0-9a-z]{7}(?:\.\d+)?$/], 'id'],
    a: [
      'href',
      'title',
      ['rel', 'noopener', 'noreferrer', 'nofollow'],
      ['dataSlot', /^\d+$/],
      'dataFootnoteRef',
      'dataFootnoteBackref',
      'ariaLabel',
      ['ariaDescribedBy', 'note.label'],
      ['className', 'data-footnote-backref', 'mention'],
      ['dataMember', /^mem_[0-9a-z]{26}$/],
    ],
    code: [
      ['className', /^language-[\w+#.-]{1,40}$/],
      ['dir', 'ltr'],
    ],
    div: [['className', 'table'], ['role', 'group'], 'ariaLabel', ['tabIndex', 0]],
    figure: [['className', 'diagram']],
    img: [
      ['dataSlot', /^\d+$/],
      ['dataDiagram', /^\d+$/],
    ],
    input: ['checked', ['disabled', true], ['type', 'checkbox'], 'ariaLabel'],
    li: [['className', 'task-list-item']],
    ol: ['start', ['className', 'contains-task-list']],
    pre: [
      ['className', 'mermaid', 'html'],
      ['tabIndex', 0],
    ],
    section: ['dataFootnotes', ['className', 'footnotes']],
    span: [
      [
        'className',
        'mention',
        'dead',
        'control',
        /^hljs-[\w-]+$/,
        /^\w+_{1,4}$/,
        /^language-[\w+#.-]{1,40}$/,
      ],
      ['dataMember', /^(?:mem_[0-9a-z]{26}|__(?:here|channel|everyone)__)$/],
    ],
    td: [['align', 'left', 'center', 'right']],
    th: [['align', 'left', 'center', 'right']],
    ul: [['className', 'contains-task-list']],
  },
  required: {
    ...Object.fromEntries(
      [...headings, 'p', 'blockquote', 'li', 'td', 'th', 'a', 'code'].map((tag) => [tag, ownDirection]),
    ),
    input: { type: 'checkbox', disabled: true },
  },
  protocols: { href: ['http', 'https', 'mailto'] },
  // Ids come from headings, with GitHub's anchors.
  clobber: [],
  strip: [],
}
