import type { CampaignRun } from '../campaign.ts'
import { nastyTexts } from './dictionary.ts'
import { mutateText } from './mutation.ts'
import { sendBytes } from './responses.ts'

const lines = [
  'GET /healthz HTTP/1.1',
  'GET /v1/fs HTTP/1.0',
  'GET /v1/fs',
  'GET  /v1/fs HTTP/1.1',
  'get /v1/fs HTTP/1.1',
  'GET http://[ HTTP/1.1',
  'GET * HTTP/1.1',
  'GET http://x/v1/fs HTTP/1.1',
  'GET //v1//fs HTTP/1.1',
  'GET /v1/fs HTTP/2.0',
  'POST /api/asks HTTP/1.1',
  'PUT /v1/fs/projects/general/docs/x.md HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT x:443 HTTP/1.1',
  'PRI * HTTP/2.0',
  '\x16\x03\x01',
]
const headers = [
  'Host: x',
  'Host:',
  'Host: x\r\nHost: y',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 1e9',
  'Content-Length: 5\r\nContent-Length: 6',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Transfer-Encoding: gzip',
  'Expect: 100-continue',
  'Expect: x',
  'Connection: upgrade\r\nUpgrade: websocket',
  `X-Long: ${'x'.repeat(20_000)}`,
  'No colon',
  ' folded: x',
  'X-Bytes: \xff\x80',
  'Authorization: Bearer',
  'Accept-Encoding: gzip',
]
const bodies = ['', 'hello', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\nhello\r\n', '{"title":', 'x'.repeat(3000)]

/** Draws bytes that are barely an HTTP request. */
export function drawBytes(run: CampaignRun): string {
  const chosen = Array.from({ length: run.below(4) }, () => run.pick(headers))
  const bytes = `${run.pick(lines)}\r\n${['Connection: close', ...chosen].join('\r\n')}\r\n\r\n${run.pick(bodies)}`
  return run.below(3) === 0 ? mutateText(run, bytes, nastyTexts) : bytes
}

/** Sends bytes: the server must answer nothing or HTTP without a 5xx, and an error with its request id. */
export async function attackBroken(url: string, bytes: string): Promise<string[]> {
  const response = await sendBytes(url, bytes)
  if (response === '') return []
  const problems: string[] = []
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1] ?? 0)
  if (status === 0) problems.push('the answer is no HTTP')
  // Node answers 501 and 505 to what HTTP/1.1 does not have.
  if (status >= 500 && status !== 501 && status !== 505) problems.push(`${status}`)
  const id = /^X-Request-Id: (.*)$/im.exec(response)?.[1]?.trim()
  const bodyId = /"requestId":"([^"]*)"/.exec(response)?.[1]
  if (status >= 400 && bodyId !== undefined && bodyId !== id)
    problems.push(`requestId is ${bodyId}, the header ${id}`)
  return problems.map(
    (problem) =>
      `${problem}: ${JSON.stringify(bytes.slice(0, 400))} was answered ${JSON.stringify(response.slice(0, 400))}`,
  )
}
