import { execFileSync } from 'node:child_process'

/**
 * Copies a home as a process killed at this moment would leave it; hard links stay links. Another process
 * copies, because one that holds SQLite's locks loses them when it closes another descriptor of the file.
 */
export const copyHome = (home: string, to: string): void => {
  execFileSync('cp', ['-a', home, to])
}
