import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { EventRenderer } from './event-renderer.ts'
import { MergedStreams, type TickRange } from './merged-streams.ts'
import type { Patience } from './patience.ts'
import type { EventSubscription } from './subscription.ts'

/** How many events an answer has at the most (`docs/interface.md#limits`). */
export const eventsPerPage = 100

/** So much of the log is looked through as it lies there, whosever it is, before each source is asked for its own. */
const firstReadLength = 256
/** After so many rows other requests have their turn. */
const rowsInATurn = 512

/** What a look at the log has found. */
interface ReadBatch {
  /** Oldest first, at most a page. */
  rows: EventRecord[]
  /** How far it has looked: up to the end, unless it has found something or was ended early. */
  tick: number
  /** How many events of the reader's own rooms and projects it had to look at behind the first glance. */
  rowsChecked: number
}

interface ReaderDeps {
  log: EventLog
  newShowing: () => EventRenderer
}

/**
 * Reads what a request reaches. The cost is that of the rows which the caller may see, and of hidden ones in the same rooms
 * and projects, never of what lies elsewhere.
 */
export class EventReader {
  private readonly deps: ReaderDeps

  constructor(deps: ReaderDeps) {
    this.deps = deps
  }

  /**
   * Looks for events behind one tick up to another, until it has a page, or all that one turn has found.
   * @param patience ends a long look early where nobody is there any more
   */
  async readBatch(
    reach: EventSubscription,
    { after, upTo }: TickRange,
    patience: Patience,
  ): Promise<ReadBatch> {
    const { log, newShowing } = this.deps
    let showing = newShowing()
    // Most readers are close behind, or find enough wherever they begin: one read serves them.
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
      // Whoever waits for an answer is not kept waiting for a fuller one.
      if (rows.length > 0) break
      await nextTurn()
      if (patience.isGone) return { rows, tick: row.tick, rowsChecked }
      showing = newShowing()
    }
    return { rows, tick: upTo, rowsChecked }
  }
}
