const markup = /[\\`*_~[\]<>|&!#]/g

export const escapeMarkdown = (name: string): string =>
  name
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(markup, '\\$&')
