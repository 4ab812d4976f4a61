/** Adds the title as a heading, below any frontmatter. A blank title adds nothing. */
export function withTitle(text: string, title: string): string {
  const words = title.replace(/\s+/g, ' ').trim()
  if (words === '') return text
  const fence = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text)?.[0] ?? ''
  const head = fence === '' || fence.endsWith('\n') ? fence : `${fence}\n`
  return `${head}# ${words}\n\n${text.slice(fence.length)}`
}
