/** Decodes `%20` and the like. Null if a `%` does not encode a byte of UTF-8. */
export function percentDecode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}
