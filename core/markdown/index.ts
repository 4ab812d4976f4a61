export { maxRebound } from './align.ts'
export { decompress as expand } from './compression.ts'
export {
  bodyStart,
  displayedLines,
  displayedText,
  mentionNames,
  type ReadRequest,
  renderBody,
  renderRead,
} from './envelope.ts'
export { largeTextBytes } from './large-text.ts'
export { displayedName as shownName } from './names.ts'
export { serverKeys } from './server-keys.ts'
export { type MarkdownOptions, markdownService } from './service.ts'
export { mentionedNames, storedBlocks } from './stored-blocks.ts'
export type * from './types.ts'
