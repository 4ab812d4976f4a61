import { escapeXml } from './xml.ts'

/** A refusal for which WebDAV has a status or a condition of its own (RFC 4918, 11 and 16). */
export class DavError extends Error {
  /** @param condition the name of the condition element; null if there is none */
  constructor(
    readonly status: 400 | 403 | 409 | 412 | 415 | 423 | 502,
    message: string,
    readonly condition: string | null = null,
  ) {
    super(message)
    this.name = 'DavError'
  }
}

export const davErrorBody = ({ condition, message }: DavError, requestId: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<D:error xmlns:D="DAV:" xmlns:W="urn:workroom">${condition === null ? '' : `<D:${condition}/>`}<W:message>${escapeXml(message)}</W:message><W:requestId>${escapeXml(requestId)}</W:requestId></D:error>
`
