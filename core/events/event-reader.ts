import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { EventRenderer } from './event-renderer.ts'
import { MergedStreams, type TickRange } from './merged-streams.ts'
import type { RequestLifetime } from './request-lifetime.ts'
import type { EventSubscription } from './subscription.ts'

export const eventsPerPage = 100

const firstReadLength = 256
/** Rows between yields to requests. */
const rowsPerTurn = 512

interface ReadBatch {
  rows: EventRecord[]
  /** The end of the range, unless the read ended early. */
  tick: number
  /** Rows of the reader's own streams, checked after the first read. */
  rowsChecked: number
}

interface ReaderDeps {
  log: EventLog
  newRenderer: () => EventRenderer
}

/** The cost is proportional to the rows of the caller's own rooms and projects. */
export class EventReader {
  constructor(private readonly deps: ReaderDeps) {}

  /** Reads until a page is full, one turn has found any event, or the client is gone. */
  async readBatch(
    subscription: EventSubscription,
    { after, upTo }: TickRange,
    lifetime: RequestLifetime,
  ): Promise<ReadBatch> {
    const { log, newRenderer } = this.deps
    let renderer = newRenderer()
    // Most readers are close to the end or find enough here.
    const firstRows = log.between(after, upTo, firstReadLength)
    const rows = firstRows.filter((row) => renderer.isVisible(row, subscription)).slice(0, eventsPerPage)
    const isComplete = firstRows.length < firstReadLength
    if (isComplete || rows.length === eventsPerPage) return { rows, tick: upTo, rowsChecked: 0 }

    const streams = new MergedStreams(log, subscription.streams, { after: firstRows.at(-1)!.tick, upTo })
    let rowsChecked = 0
    for (let row = streams.take(); row; row = streams.take()) {
      rowsChecked += 1
      if (renderer.isVisible(row, subscription)) rows.push(row)
      if (rows.length === eventsPerPage) break
      if (rowsChecked % rowsPerTurn > 0) continue
      if (rows.length > 0) break
      await nextTurn()
      if (lifetime.isDisconnected) return { rows, tick: row.tick, rowsChecked }
      renderer = newRenderer()
    }
    return { rows, tick: upTo, rowsChecked }
  }
}
