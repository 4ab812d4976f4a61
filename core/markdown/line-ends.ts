export function usesCrlf(text: string): boolean {
  return text[text.indexOf('\n') - 1] === '\r'
}

export const toCrlf = (text: string): string => text.replace(/\r?\n/g, '\r\n')

export function withoutFinalLineEnds(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}
