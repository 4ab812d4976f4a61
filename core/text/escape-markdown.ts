/** What begins markup in a line of text, a table's cell or a link's label. */
const markup = /[\\`*_~[\]<>|&!#]/g

export const escapeMarkdown = (name: string): string =>
  name
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(markup, '\\$&')
