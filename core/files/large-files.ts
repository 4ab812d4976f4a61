import { WorkspaceError } from '../errors/workspace-error.ts'
import type { ServedFile } from './types.ts'

/** Larger attachments are sent only by link (`docs/interface.md#limits`). */
const maxInlineBytes = 20 * 1024 * 1024

/** @throws WorkspaceError `too_large` above 20 MB, with a `downloadUrl` */
export function requireInlineSize(file: ServedFile, downloadUrl: () => string): ServedFile {
  if (file.size <= maxInlineBytes) return file
  throw new WorkspaceError(
    'too_large',
    'Files larger than 20 MB are not served here. Download it from downloadUrl; the link is valid for one hour and needs no key.',
    { fields: { limitBytes: maxInlineBytes, downloadUrl: downloadUrl() } },
  )
}
