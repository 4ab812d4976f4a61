/** The operators of a query such as `from:ada in:quay before:2026-06-18 has:file`, as written. */
export interface SearchOperators {
  from?: string
  in?: string
  before?: string
  after?: string
  has?: string
}

type Name = keyof SearchOperators

const operator = /^(from|in|before|after|has):(?:"([^"]+)"?|([^"]+))$/i

/** Values with spaces are quoted, phrases contain no operators, and the last operator of a kind counts. */
export function splitOperators(query: string): { words: string; operators: SearchOperators } {
  const operators: SearchOperators = {}
  const words: string[] = []
  for (const [token] of query.matchAll(/\w+:"[^"]*"?|"[^"]*"?|[^\s"]+/g)) {
    const [, name, quoted, plain] = operator.exec(token) ?? []
    if (name === undefined) words.push(token)
    else operators[name.toLowerCase() as Name] = (quoted ?? plain)!.trim()
  }
  return { words: words.join(' '), operators }
}

export const hasOperators = (operators: SearchOperators): boolean => Object.keys(operators).length > 0
