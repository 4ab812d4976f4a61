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

/** Counts code points; `padEnd` counts UTF-16 code units. */
const pad = (cell: string, width: number) => cell + ' '.repeat(width - [...cell].length)

/** Formats Unix milliseconds as `2026-11-21 09:30Z`. */
export const isoMinute = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')}Z`
