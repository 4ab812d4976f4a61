/** What would begin markup in a line of text, a table's cell or a link's label. */
const markup = /[\\`*_~[\]<>|&!#]/g

/** A name as text in a page that we write: on one line, and nothing in it read as markup. */
export const escapeMarkdown = (name: string): string =>
  name
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(markup, '\\$&')
