import type { Connection } from '../database.ts'

/** Milliseconds; wall-clock times since 1970. */
interface RunningTimeRow {
  runningMs: number // total time in which the workspace was open
  wallMs: number // when the row was written
  jumpedMs: number | null // the running time of the last jump of the wall clock
}

/** A period of running time without a jump of the wall clock. */
export interface ClockSegment {
  runningMs: number // at its beginning
  wallMs: number // at its beginning
  minWallMs: number // the lowest wall-clock time in it
}

export function runningTimeTable(db: Connection) {
  const find = db.prepare<[], RunningTimeRow>(
    'SELECT running_ms AS runningMs, wall_ms AS wallMs, jumped_ms AS jumpedMs FROM running_time',
  )
  const put = db.prepare<RunningTimeRow>(`
    INSERT INTO running_time (only, running_ms, wall_ms, jumped_ms) VALUES (1, @runningMs, @wallMs, @jumpedMs)
    ON CONFLICT (only) DO UPDATE SET running_ms = @runningMs, wall_ms = @wallMs, jumped_ms = @jumpedMs`)
  const segments = db.prepare<[], ClockSegment>(`
    SELECT running_ms AS runningMs, wall_ms AS wallMs, least_ms AS minWallMs FROM running_parts ORDER BY running_ms`)
  const putSegment = db.prepare<ClockSegment>(`
    INSERT INTO running_parts (running_ms, wall_ms, least_ms) VALUES (@runningMs, @wallMs, @minWallMs)
    ON CONFLICT (running_ms) DO UPDATE SET least_ms = min(least_ms, @minWallMs)`)
  const trim = db.prepare<[number]>('DELETE FROM running_parts WHERE running_ms < ?')
  return {
    find: (): RunningTimeRow | undefined => find.get(),
    put: (row: RunningTimeRow): void => void put.run(row),
    segments: (): ClockSegment[] => segments.all(),
    putSegment: (segment: ClockSegment): void => void putSegment.run(segment),
    trim: (runningMs: number): void => void trim.run(runningMs),
  }
}
export type RunningTimeTable = ReturnType<typeof runningTimeTable>
