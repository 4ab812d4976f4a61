import { isDeepStrictEqual } from 'node:util'
import { type InterfaceClient, RefusedError, toolPath, treeAddress } from '../interface-client.ts'

interface SkillFile {
  project: string
  name: string
  file: string
}

/** undefined for another path. */
export function skillFileAt(path: string): SkillFile | undefined {
  const [, project, name, file] =
    /\/projects\/([^/]+)\/skills\/([^/]+)\/(.+)$/.exec(decodeURI(treeAddress(path))) ?? []
  return file === undefined ? undefined : { project: project!, name: name!, file }
}

/** Publishes a version with this file added or replaced. @throws Error for an unpublished draft */
export async function publishSkillFile(
  client: InterfaceClient,
  { project, name, file }: SkillFile,
  text: string,
): Promise<{ path: string }> {
  const { version, draftRevision, files } = await publishedFiles(client, project, name)
  const base = { project, name, expectedVersion: version }
  const draft = { ...base, expectedDraftRevision: draftRevision, files: { ...files, [file]: text } }
  const saved = await client.send('POST', '/v1/skills', { fields: draft })
  const publication = { ...base, expectedDraftRevision: saved.json.skill.draftRevision }
  const { json } = await client.send('POST', '/v1/skills/publish', { fields: publication })
  return { path: `${toolPath(json.skill.path)}/${file}` }
}

interface SkillState {
  version: number
  draftRevision: number
  files: Record<string, string> | null
}

async function publishedFiles(client: InterfaceClient, project: string, name: string): Promise<SkillState> {
  const path = `/v1/skills/${encodeURIComponent(project)}/${encodeURIComponent(name)}`
  const draft = await client.send('GET', path).catch((error) => {
    if (error instanceof RefusedError && error.response.status === 404) return null
    throw error
  })
  if (draft === null) return { version: 0, draftRevision: 0, files: null }
  const { version, draftRevision, files } = draft.json.skill as SkillState
  const published = version === 0 ? null : await client.send('GET', path, { query: { version } })
  const publishedFiles = published && (published.json.skill as SkillState).files
  if (!isDeepStrictEqual(files, publishedFiles)) {
    throw new Error(
      `The skill ${name} has a draft that is not published. Its author publishes it by POST /v1/skills/publish, or replaces it by POST /v1/skills.`,
    )
  }
  return { version, draftRevision, files: publishedFiles }
}
