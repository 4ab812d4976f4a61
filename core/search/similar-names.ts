import type { DocumentTitlesTable } from '../../data/tables/document-titles.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { baseKinds } from '../documents/model/document-kinds.ts'
import { pagePath } from '../documents/model/document-paths.ts'
import { readableDocuments } from '../documents/model/readable-documents.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { mistakesAllowed } from './small-mistakes.ts'
import type { Candidate } from './top-matches.ts'
import { matchAllTrigrams, matchAnyTrigram, wordTrigrams } from './trigrams.ts'

interface SimilarNamesDeps {
  catalogue: Catalogue
  documentTitles: DocumentTitlesTable
  projects: ProjectStore
  isMounted: (record: DocumentRecord) => boolean
}

/** A mistake changes three or four trigrams, so that one of five is unchanged. */
const trigramsOfWord = 5

const maxTitles = 1000

/** Finds names with similar words by the trigrams that these share. */
export class SimilarNames {
  constructor(private readonly deps: SimilarNamesDeps) {}

  /** FTS5 syntax. Null if no word may hold a mistake, or nothing is similar. */
  expressionFor(words: readonly string[]): string | null {
    const parts = words.map((word) =>
      mistakesAllowed(word) > 0 ? this.rareTrigrams(word) : matchAllTrigrams([word]),
    )
    const conditions = parts.filter((part) => part !== null)
    return conditions.length === 0 || conditions.includes('')
      ? null
      : conditions.map((part) => `(${part})`).join(' AND ')
  }

  *documents(
    expression: string,
    caller: Caller,
    readable: ReadonlyMap<string, Project>,
  ): Generator<Candidate, void, undefined> {
    const { catalogue, documentTitles, isMounted, projects } = this.deps
    const filter = { ...readableDocuments(caller, projects), projects: [...readable.keys()] }
    for (const id of documentTitles.find(expression, filter, maxTitles)) {
      const record = catalogue.find(id)
      const project = record && readable.get(record.projectId)
      if (!record || !project || !isMounted(record)) continue
      const page = pagePath(project, record)
      yield { kind: baseKinds[record.kind], title: record.title, page, where: project.name }
    }
  }

  /** Takes the rarest trigrams that are in some name, which those with the mistake rarely are. */
  private rareTrigrams(word: string): string {
    const counted = wordTrigrams(word)
      .map((trigram) => ({ trigram, count: this.deps.documentTitles.count(`"${trigram}"`) }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => one.count - other.count)
    return matchAnyTrigram(counted.slice(0, trigramsOfWord).map(({ trigram }) => trigram))
  }
}
