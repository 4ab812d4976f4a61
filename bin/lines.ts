/** Splits UTF-8 at line feeds. Node's readline also splits at U+2028, which JSON does not escape. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (rest !== '') yield rest
}
