/** `snake_case` and `C#` contain no markup. */
const markup = /[\\`*~[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[\w#])|(?<=^|\s)#(?=#*\s*$)/gu

export const asHeading = (text: string): string => text.replace(markup, '\\$&')
