import type { NameMatch } from '../../../core/search/name-match.ts'

export const nameKindLabels: Record<NameMatch['kind'], { one: string; several: string }> = {
  document: { one: 'Document', several: 'Documents' },
  post: { one: 'Post', several: 'Posts' },
  card: { one: 'Card', several: 'Cards' },
  page: { one: 'Page', several: 'Pages' },
  room: { one: 'Room', several: 'Rooms' },
  project: { one: 'Project', several: 'Projects' },
  person: { one: 'Person', several: 'People' },
  agent: { one: 'Agent', several: 'Agents' },
  ask: { one: 'Ask', several: 'Asks' },
  file: { one: 'File', several: 'Files' },
  pull: { one: 'Pull request', several: 'Pull requests' },
  repository: { one: 'Repository', several: 'Repositories' },
  skill: { one: 'Skill', several: 'Skills' },
}
