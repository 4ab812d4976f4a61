import type { Endpoint } from '../../server/endpoints.ts'

/** Between these lines of the README stands the table. */
const begin = '<!-- endpoints -->'
const end = '<!-- /endpoints -->'

/**
 * A README with the table of these endpoints in it: what each does stays as it stands there, and is empty where nothing
 * does yet.
 */
export function withEndpointTable(readme: string, endpoints: readonly Endpoint[]): string {
  const from = readme.indexOf(begin) + begin.length
  const to = readme.indexOf(end)
  const purposes = purposesIn(readme.slice(from, to))
  const rows = endpoints.map(
    ({ method, path }) => `| ${method} | \`${path}\` | ${purposes.get(`${method} ${path}`) ?? ''} |`,
  )
  const table = ['| Method | Path | What it does |', '| --- | --- | --- |', ...rows].join('\n')
  return `${readme.slice(0, from)}\n${table}\n${readme.slice(to)}`
}

/** What each endpoint does, by method and path, as a table says it. */
export function purposesIn(table: string): Map<string, string> {
  const rows = table.matchAll(/^\| ([A-Z]+) \| `([^`]+)` \| (.*) \|$/gm)
  return new Map([...rows].map(([, method, path, purpose]) => [`${method} ${path}`, purpose!]))
}
