import type { EventLog, EventStreamKind } from '../../data/tables/event-log.ts'
import type { EventRecord } from '../../data/tables/events.ts'
import type { EventStreams } from './subscription.ts'

/** Batches double up to this, so that many streams with one row each cost only their rows. */
const maxBatch = 128

export interface TickRange {
  after: number
  upTo: number
}

/** Each stream has its own index in the log. An event of two streams is returned once. */
export class MergedStreams {
  /** Streams that have events left, the one with the oldest last. */
  private readonly streams: StreamReader[]
  private lastTick = 0

  constructor(log: EventLog, eventStreams: readonly EventStreams[], range: TickRange) {
    this.streams = eventStreams
      .flatMap(({ kind, ids }) =>
        log
          .firstTicksIn(kind, ids, range)
          .map(({ id, tick }) => new StreamReader(log, { kind, id }, tick, range.upTo)),
      )
      .sort(laterFirst)
  }

  take(): EventRecord | undefined {
    for (let stream = this.streams.pop(); stream; stream = this.streams.pop()) {
      const row = stream.take()
      if (stream.next !== null) this.insert(stream)
      if (row === null || row.tick === this.lastTick) continue
      this.lastTick = row.tick
      return row
    }
    return undefined
  }

  private insert(stream: StreamReader): void {
    let from = 0
    let to = this.streams.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (laterFirst(this.streams[middle]!, stream) < 0) from = middle + 1
      else to = middle
    }
    this.streams.splice(from, 0, stream)
  }
}

const laterFirst = (one: StreamReader, other: StreamReader) => other.next! - one.next!

class StreamReader {
  next: number | null
  private readonly read: (after: number, limit: number) => EventRecord[]
  private readonly nextTick: (tick: number) => number | null
  private rows: EventRecord[] = []
  private index = 0
  private batchSize = 1

  constructor(
    log: EventLog,
    { kind, id }: { kind: EventStreamKind; id: string },
    first: number,
    upTo: number,
  ) {
    this.next = first
    this.read = (after, limit) => log.betweenIn(kind, id, { after, upTo, limit })
    this.nextTick = (after) => log.firstTicksIn(kind, [id], { after, upTo })[0]?.tick ?? null
  }

  take(): EventRecord | null {
    if (this.index === this.rows.length) {
      this.rows = this.read(this.next! - 1, this.batchSize)
      this.index = 0
      this.batchSize = Math.min(this.batchSize * 2, maxBatch)
    }
    const row = this.rows[this.index]
    if (row === undefined || row.tick !== this.next) {
      this.next = row?.tick ?? null
      return null
    }
    this.index += 1
    this.next = this.rows[this.index]?.tick ?? this.nextTick(row.tick)
    return row
  }
}
