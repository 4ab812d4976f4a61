import { execFileSync } from 'node:child_process'

/**
 * Copies a home as it lies on the disk at this moment, which is what a process that is killed now leaves behind. Hard
 * links stay links. A process of its own does it: one that holds SQLite's locks would lose them by opening the file.
 */
export const copyHome = (home: string, to: string): void => {
  execFileSync('cp', ['-a', home, to])
}
