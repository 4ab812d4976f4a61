import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Cost, doByCurl, doByMcp, tasks, total } from '../../support/ten-tasks.ts'

t.test(
  'ten tasks by MCP take fewer requests and bytes than by curl, and the requests that docs/mcp.md says',
  async (t) => {
    const curl = await doByCurl(t)
    const mcp = await doByMcp(t)
    const rows: [string, Cost, Cost][] = [...tasks, 'connect' as const].map((task) => [
      task,
      curl[task],
      mcp[task],
    ])
    rows.push(['all ten', total(curl), total(mcp)])
    for (const row of rows) t.comment(JSON.stringify(row))

    const withConnecting = {
      requests: total(mcp).requests + mcp.connect.requests,
      bytes: total(mcp).bytes + mcp.connect.bytes,
    }
    t.ok(withConnecting.requests <= 22, `${withConnecting.requests} requests`)
    t.ok(withConnecting.bytes <= 25_000, `${withConnecting.bytes} bytes`)
    t.ok(total(mcp).requests < total(curl).requests)
    t.ok(total(mcp).bytes < total(curl).bytes)

    const written = tableIn(readFileSync('docs/mcp.md', 'utf8'))
    for (const [task, byCurl, byMcp] of rows) {
      const [curlRequests, , mcpRequests] = written.get(task) ?? []
      t.same([curlRequests, mcpRequests], [byCurl.requests, byMcp.requests], `requests to ${task}`)
    }
  },
)

/** Rows of `| task | requests | bytes | requests | bytes |`. */
function tableIn(page: string): Map<string, number[]> {
  const rows = page.matchAll(/^\| ([^|]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm)
  return new Map(
    [...rows].map(([, task, ...cells]) => [task!, cells.map((cell) => Number(cell.replace(/,/g, '')))]),
  )
}
