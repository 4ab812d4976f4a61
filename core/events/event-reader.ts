import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { EventRenderer } from './event-renderer.ts'
import { MergedStreams, type TickRange } from './merged-streams.ts'
import type { Patience } from './patience.ts'
import type { EventSubscription } from './subscription.ts'

export const eventsPerPage = 100

/** Rows that are read from the log before each stream is queried. */
const firstReadLength = 256
/** Rows after which requests are served. */
const rowsInATurn = 512

interface ReadBatch {
  rows: EventRecord[]
  /** The end of the range, unless it found something or was aborted. */
  tick: number
  /** Rows of the reader's own streams that were checked after the first read. */
  rowsChecked: number
}

interface ReaderDeps {
  log: EventLog
  newShowing: () => EventRenderer
}

/**
 * Reads the events of a subscription. The cost is proportional to the rows of the caller's rooms and projects,
 * never to others.
 */
export class EventReader {
  private readonly deps: ReaderDeps

  constructor(deps: ReaderDeps) {
    this.deps = deps
  }

  /**
   * Reads events in a range of ticks until a page is full or one turn has found any.
   * @param patience ends a long read when the client is gone
   */
  async readBatch(
    reach: EventSubscription,
    { after, upTo }: TickRange,
    patience: Patience,
  ): Promise<ReadBatch> {
    const { log, newShowing } = this.deps
    let showing = newShowing()
    // Most readers are close to the end, or find enough: one read is sufficient.
    const glance = log.between(after, upTo, firstReadLength)
    const rows = glance.filter((row) => showing.isVisible(row, reach)).slice(0, eventsPerPage)
    const isAll = glance.length < firstReadLength
    if (isAll || rows.length === eventsPerPage) return { rows, tick: upTo, rowsChecked: 0 }

    const lanes = new MergedStreams(log, reach.sources, { after: glance.at(-1)!.tick, upTo })
    let rowsChecked = 0
    for (let row = lanes.take(); row; row = lanes.take()) {
      rowsChecked += 1
      if (showing.isVisible(row, reach)) rows.push(row)
      if (rows.length === eventsPerPage) break
      if (rowsChecked % rowsInATurn > 0) continue
      // A waiting reader gets what was found.
      if (rows.length > 0) break
      await nextTurn()
      if (patience.isGone) return { rows, tick: row.tick, rowsChecked }
      showing = newShowing()
    }
    return { rows, tick: upTo, rowsChecked }
  }
}
