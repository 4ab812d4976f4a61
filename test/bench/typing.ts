/** Editors that type in some documents at once. */
export interface Typing {
  /** Of a WebSocket for each document. */
  urls: string[]
  /** In each document. */
  writers: number
  /** In each document, who only read. */
  readers: number
  /** Each writer types a letter so often. */
  everyMs: number
  durationMs: number
  /** Of a Workroom; null: a relay, which passes on what it is sent. */
  signin: { cookie: string; csrf: string; origin: string } | null
}

/** From a letter that is typed until another editor of the document has it. */
export interface TypingResult {
  letters: number
  p50Ms: number
  p99Ms: number
}
