import { nameToEmoji } from 'gemoji'
import { WorkspaceError } from '../errors/workspace-error.ts'

const emojiExpression = '\\p{RGI_Emoji}'
const emojiPattern = new RegExp(`^${emojiExpression}$`, 'v')
const namePattern = /^:([a-z0-9_+-]{1,40}):$/i
const maxLength = 60

/** Accepts an emoji or its `:name:`. Unifies forms that differ in an invisible variation selector. */
export function requireEmoji(input: string): string {
  const emoji = namedEmoji(input) ?? input
  if (emoji.length <= maxLength) {
    const qualified = [emoji, `${emoji}\ufe0f`].find((form) => emojiPattern.test(form))
    if (qualified !== undefined) return qualified
  }
  throw new WorkspaceError(
    'bad_request',
    `${JSON.stringify(input.slice(0, 40))} is not an emoji. Send one emoji, such as 👍, or its name, such as :+1:.`,
  )
}

function namedEmoji(input: string): string | undefined {
  const name = namePattern.exec(input)?.[1]?.toLowerCase()
  return name !== undefined && Object.hasOwn(nameToEmoji, name) ? nameToEmoji[name] : undefined
}
