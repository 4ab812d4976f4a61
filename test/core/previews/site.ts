import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { eventually } from '../../support/eventually.ts'

/** A web site on this machine that posts link to. */
export interface Site {
  /** The address of its root, with a slash at the end. */
  url: string
  /** `127.0.0.1:PORT`, as `outbound.allow` takes it. */
  host: string
  /** The requested paths, in order. */
  asked: string[]
  /** The most requests that it has had at once. */
  busiest: number
  /** Makes responses wait for `release`. */
  hold(): void
  release(): void
  /** Waits until this many requests have arrived. */
  wasAsked(times: number): Promise<unknown>
}

/** Starts a site that answers every path with a page of that title, unless `answer` is given. */
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
