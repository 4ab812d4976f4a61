/** What `from:ada in:quay before:2026-06-18 has:file` in a query ask for. Values as they were written. */
export interface SearchOperators {
  from?: string
  in?: string
  before?: string
  after?: string
  has?: string
}

type Name = keyof SearchOperators

const operator = /^(from|in|before|after|has):(?:"([^"]+)"?|([^"]+))$/i

/**
 * Splits a query into words and operators. A value with spaces is in double quotes, as in `from:"Ada Lovelace"`; what is
 * within a phrase is no operator. Of an operator that is there twice, the last one counts.
 */
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
