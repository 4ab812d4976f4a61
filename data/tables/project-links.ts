import type { Connection } from '../database.ts'

export interface ProjectLinkRow {
  title: string
  url: string
  note: string // '' for none
}

export function projectLinksTable(db: Connection) {
  const of = db.prepare<[string], ProjectLinkRow>(
    'SELECT title, url, note FROM project_links WHERE project_id = ? ORDER BY place',
  )
  const clear = db.prepare<[string]>('DELETE FROM project_links WHERE project_id = ?')
  const insert = db.prepare<ProjectLinkRow & { projectId: string; place: number }>(`
    INSERT INTO project_links (project_id, place, title, url, note)
    VALUES (@projectId, @place, @title, @url, @note)`)
  return {
    of: (projectId: string): ProjectLinkRow[] => of.all(projectId),
    /** Must be called inside a commit. */
    replace: (projectId: string, links: readonly ProjectLinkRow[]): void => {
      clear.run(projectId)
      for (const [place, link] of links.entries()) insert.run({ projectId, place, ...link })
    },
  }
}
export type ProjectLinksTable = ReturnType<typeof projectLinksTable>
