import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Test } from 'tap'

/** A name server's answer for a name: its addresses, or never an answer. */
export type Said = { four?: string[]; six?: string[] } | 'silence'

const typeA = 1
const typeAaaa = 28

/**
 * Starts a name server on 127.0.0.1, for which all other names do not exist.
 * @returns its address as `127.0.0.1:port`, and the names asked for
 */
export async function serveNames(
  t: Test,
  names: Record<string, Said>,
): Promise<{ server: string; asked: string[] }> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const said = names[name]
    if (said === 'silence') return
    const addresses = (type === typeA ? said?.four : said?.six) ?? []
    socket.send(answerTo(query.subarray(0, end), type, said ? addresses : null), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** @param addresses null if the name does not exist */
function answerTo(question: Buffer, type: number, addresses: string[] | null): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(addresses?.length ?? 0, 6)
  head.writeUInt32BE(0, 8)
  const records = (addresses ?? []).map((address) => {
    const data = type === typeAaaa ? sixBytes(address) : Buffer.from(address.split('.').map(Number))
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, ...records])
}

/** The bytes of an IPv6 address with all eight parts. */
const sixBytes = (address: string) =>
  Buffer.from(
    address.split(':').flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]),
  )
