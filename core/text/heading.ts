/** What markdown would read as markup in a heading's text. `snake_case` and `C#` are none. */
const markup = /[\\`*~[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[\w#])|(?<=^|\s)#(?=#*\s*$)/gu

/** A plain text as a heading's: read as markdown it says what it says here. */
export const asHeading = (text: string): string => text.replace(markup, '\\$&')
