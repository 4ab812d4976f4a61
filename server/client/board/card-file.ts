import { ApiError, call, errorText } from '../api.ts'
import type { FieldValue } from '../frontmatter.ts'

export type Fields = Readonly<Record<string, unknown>>
export type FieldChanges = Readonly<Record<string, FieldValue>>

/** Others may write at the same time. */
const maxAttempts = 4

/** Changes only these fields of the card's file. @returns its new path @throws ApiError, FrontmatterError */
export async function changeFields(path: string, change: (current: Fields) => FieldChanges): Promise<string> {
  const { fieldsIn, setFields } = await import('../frontmatter.ts')
  for (let tries = 1; ; tries++) {
    const { text, headers } = await call('GET', path)
    const body = setFields(text, change(fieldsIn(text)))
    const revision = headers.get('ETag') ?? '*'
    try {
      const response = await call('PUT', path, {
        body,
        headers: { 'Content-Type': 'text/markdown; charset=utf-8', 'If-Match': revision },
      })
      return String(response.json.path)
    } catch (error) {
      const isRace = error instanceof ApiError && error.status === 409 && 'currentRevision' in error.fields
      if (!isRace || tries === maxAttempts) throw error
    }
  }
}

/** Returns the card's new path. @throws ApiError */
export async function moveCard(path: string, toColumn: string): Promise<string> {
  const { json } = await call('POST', `${path}/_move`, { json: { toColumn } })
  return String(json.path)
}

export const errorMessageFor = (error: unknown): string =>
  error instanceof Error && error.name === 'FrontmatterError' ? error.message : errorText(error)
