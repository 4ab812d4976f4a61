import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

interface RequestBatch {
  listener: RequestListener
  noteConnection(): void
}

const maxAcceptingTurns = 200

/**
 * Handles together all requests that arrive in one turn of the event loop, so that they can share a `stat` or
 * a check whether keys changed: no socket is read meanwhile, so every check is later than the arrival of each
 * request. If each were handled on arrival, a later one of a pipeline could follow an edit that the shared
 * check had missed.
 *
 * libuv accepts one connection per turn: while connections arrive, requests wait for up to
 * `maxAcceptingTurns`, which keeps turns short. Otherwise hundreds of busy clients would delay a new one by
 * seconds.
 */
export function batchPerTurn(listener: RequestListener): RequestBatch {
  let arrived: [IncomingMessage, ServerResponse][] = []
  let isAccepting = false
  let acceptingTurns = 0
  // Immediates run after all pending socket data has been read.
  const dispatch = () => {
    if (isAccepting && ++acceptingTurns < maxAcceptingTurns) {
      isAccepting = false
      setImmediate(dispatch)
      return
    }
    const batch = arrived
    arrived = []
    isAccepting = false
    acceptingTurns = 0
    for (const [request, response] of batch) listener(request, response)
  }
  return {
    listener: (request, response) => {
      if (arrived.push([request, response]) === 1) setImmediate(dispatch)
    },
    noteConnection: () => {
      isAccepting = true
    },
  }
}
