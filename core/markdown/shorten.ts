/** Longer fenced code is shortened in views. */
const maxFenceLength = 2048

const dataAddress =
  /(?<![\w])(data:(?:[\w.+-]{1,64}\/[\w.+-]{1,64})?(?:;[\w.+-]{1,64}(?:=[\w.+-]{1,64})?){0,8},)([^\s"<>()`\]|]+)/gi

/** Keeps the prefix of `data:` URLs and says how much is omitted. */
export function shortenData(text: string): string {
  return text.replace(dataAddress, (_, prefix: string, payload: string) => prefix + elided(payload.length))
}

export function shortenFence(text: string): string {
  if (text.length <= maxFenceLength || !/^(?:`{3}|~{3})/.test(text)) return text
  const infoLine = text.search(/[\r\n]/)
  const end = wholeCharacters(text, Math.max(maxFenceLength, infoLine))
  return text.slice(0, end) + (end < text.length ? elided(text.length - end) : '')
}

/** Never splits a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end
}

function elided(characters: number): string {
  return `… (${characters} characters elided)`
}
