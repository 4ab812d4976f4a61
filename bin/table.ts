export function table(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => [...cells[column]!].length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => pad(cell, widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Counted in code points, where `padEnd` counts UTF-16 code units. */
const pad = (cell: string, width: number) => cell + ' '.repeat(width - [...cell].length)

/** A time as a cell shows it: `2026-11-21 09:30Z`. @param timeMs Unix milliseconds */
export const isoMinute = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')}Z`
