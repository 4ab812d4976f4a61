/** Editors that type in several documents concurrently. */
export interface Typing {
  /** The address of each document's WebSocket. */
  urls: string[]
  /** Per document. */
  writers: number
  /** Per document; they only read. */
  readers: number
  /** The time between two letters of a writer. */
  everyMs: number
  durationMs: number
  /** For a workspace; null for a relay. */
  signin: { cookie: string; csrf: string; origin: string } | null
}

/** From a typed letter until another editor of the document has it. */
export interface TypingResult {
  letters: number
  p50Ms: number
  p99Ms: number
}
