const sentence =
  'The **room** keeps a copy of every page, and [the plan](plan.md) says who reads it, when, and what `comes` next. '

/** Realistic markdown of a length in bytes: a title, a list, and paragraphs. */
export function prose(title: string, bytes: number): string {
  const head = `# ${title}\n\n- first things first\n- then the rest\n\n`
  const paragraph = `${sentence.repeat(4).trimEnd()}\n\n`
  const text = head + paragraph.repeat(Math.ceil(bytes / paragraph.length))
  return `${text.slice(0, bytes - 1).trimEnd()}\n`
}
