/** Adds the title as a heading, below any frontmatter. A blank title adds nothing. */
export function withTitle(text: string, title: string): string {
  const heading = title.replace(/\s+/g, ' ').trim()
  if (heading === '') return text
  const fence = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text)?.[0] ?? ''
  const head = fence === '' || fence.endsWith('\n') ? fence : `${fence}\n`
  return `${head}# ${heading}\n\n${text.slice(fence.length)}`
}
