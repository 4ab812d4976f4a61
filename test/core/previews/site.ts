import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { eventually } from '../../support/eventually.ts'

/** A site on this machine that posts link to. */
export interface Site {
  /** Of its root, with a slash at its end. */
  url: string
  /** `127.0.0.1:PORT`, as `outbound.allow` takes it. */
  host: string
  /** The paths that were asked for, in order. */
  asked: string[]
  /** How many requests at once it had to deal with at the most. */
  busiest: number
  /** From now on answers wait for `release`. */
  hold(): void
  release(): void
  /** Waits until so many requests have come. */
  wasAsked(times: number): Promise<unknown>
}

/** A site that answers to every path with a page of that title, unless it is told otherwise. */
export async function openSite(t: Test, answer: RequestListener = titled): Promise<Site> {
  let gate = Promise.resolve()
  let open = () => {}
  let busy = 0
  const server = createServer(async (request, response) => {
    site.asked.push(request.url!)
    busy += 1
    site.busiest = Math.max(site.busiest, busy)
    response.on('close', () => {
      busy -= 1
    })
    await gate
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    open()
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const site: Site = {
    url: `http://${host}/`,
    host,
    asked: [],
    busiest: 0,
    hold() {
      gate = new Promise((resolve) => {
        open = resolve
      })
    },
    release: () => open(),
    wasAsked: (times) => eventually(() => site.asked.length >= times),
  }
  return site
}

const titled: RequestListener = ({ url }, response) => {
  response.setHeader('Content-Type', 'text/html').end(`<title>Page ${url}</title>`)
}
