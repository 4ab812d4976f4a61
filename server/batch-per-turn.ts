import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

interface RequestBatch {
  listener: RequestListener
  /** Called for each accepted connection. */
  noteConnection(): void
}

const maxAcceptingTurns = 200

/**
 * Hands over together, one after another, all requests that arrived in one turn of the event loop.
 *
 * So they can share what is looked at for them, such as a file's `stat` or whether the keys have changed: while they are
 * handed over nothing is read from a socket, so that every look is later than the arrival of each of them. At the
 * moment of arrival itself that would not hold: a socket that had bytes when the turn began is read in the course of
 * it, and what it holds by then, the second request of a pipeline or the end of one whose beginning had come before,
 * may have been sent after an edit that a look for an earlier request did not see.
 *
 * Their answers are written back to back as well, which spares the system from waking the receiver for each.
 *
 * libuv accepts one connection in a turn. While connections come, requests wait, for at most `maxAcceptingTurns`, so that
 * turns are short: otherwise hundreds of busy clients would keep a new one waiting for seconds.
 */
export function batchPerTurn(listener: RequestListener): RequestBatch {
  let arrived: [IncomingMessage, ServerResponse][] = []
  let isAccepting = false
  let acceptingTurns = 0
  // Immediates run as soon as everything that had come was read.
  const handOver = () => {
    if (isAccepting && ++acceptingTurns < maxAcceptingTurns) {
      isAccepting = false
      setImmediate(handOver)
      return
    }
    const together = arrived
    arrived = []
    isAccepting = false
    acceptingTurns = 0
    for (const [request, response] of together) listener(request, response)
  }
  return {
    listener: (request, response) => {
      if (arrived.push([request, response]) === 1) setImmediate(handOver)
    },
    noteConnection: () => {
      isAccepting = true
    },
  }
}
