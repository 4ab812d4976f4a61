import type { CampaignRun } from '../campaign.ts'
import { formPieces, nastyTexts } from './dictionary.ts'
import { mutateText } from './mutation.ts'

export interface Form {
  contentType: string
  /** Latin-1: each character is a byte. */
  body: string
  /** The bytes of its one file if the form is correct. */
  file: string | null
}

/** Draws a multipart form, mostly a malformed one. */
export function multipartOf(run: CampaignRun): Form {
  const boundary = run.pick(['x', 'limit-of-parts', 'a'.repeat(70), '----WebKitFormBoundary7MA4'])
  const content = run.pick([
    '',
    'some text',
    'line\r\nline\r\n',
    `--${boundary}`,
    'x'.repeat(70_000),
    '\0\xff\xfe',
  ])
  const name = run
    .pick(['a.txt', 'picture.png', 'folder/b.csv', run.pick(nastyTexts)])
    .replace(/["\r\n\0]/g, '')
  const part = (disposition: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n${text}\r\n`
  const encoded = Buffer.from(name).toString('latin1')
  const file = part(`name="file"; filename="${encoded}"`, content)
  const contentType = `multipart/form-data; boundary=${boundary}`
  const end = `--${boundary}--\r\n`
  if (run.below(4) === 0) return { contentType, body: file + end, file: content }
  const wrong = [
    file,
    file + file + end,
    part('name="file"', content) + end,
    part('name="note"', 'x') + file + end,
    file + part('name="note"', 'x').repeat(30) + end,
    end,
    mutateText(run, file + end, formPieces),
    mutateText(run, file + end, formPieces),
  ]
  const types = [
    contentType,
    contentType,
    contentType,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="y',
    'multipart/mixed; boundary=x',
  ]
  return { contentType: run.pick(types), body: run.pick(wrong), file: null }
}
