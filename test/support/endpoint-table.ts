import type { Endpoint } from '../../server/endpoints.ts'

const heading = `# Every endpoint

Made from the routes by \`npm run endpoints\`; what each is for is written beside it in the code. [The interface](interface.md) describes what
they take and answer. \`HEAD\` works wherever \`GET\` does. A name after a colon is one part of the path, one after a star
takes in the rest of it. Pages are for people who are signed in; all else takes a key, unless it says otherwise.
`

/** Each endpoint is in the first group that fits. */
const groups: [title: string, beginning: string][] = [
  ['The file tree', '/v1/fs'],
  ['JSON under /v1', '/v1/'],
  ['JSON under /api', '/api/'],
  ['Pages, health and downloads', '/'],
]

export function endpointTable(endpoints: readonly Endpoint[]): string {
  const groupOf = ({ path }: Endpoint) => groups.find(([, beginning]) => path.startsWith(beginning))
  const sections = groups.map((group) =>
    [
      `## ${group[0]}`,
      '',
      '| Method | Path | Purpose |',
      '| --- | --- | --- |',
      ...endpoints.filter((endpoint) => groupOf(endpoint) === group).map(row),
      '',
    ].join('\n'),
  )
  return [heading, ...sections].join('\n')
}

const row = ({ method, path, purpose = '' }: Endpoint) => `| ${method} | \`${path}\` | ${purpose} |`
