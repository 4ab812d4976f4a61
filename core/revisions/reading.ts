export interface Reading {
  /** Absent for a conflict copy and for what is no document. */
  documentId?: string
  body: Buffer
  revision: string
  url: string
  /** False if comments, pin, attachments or names have changed since: no 304 then. */
  isEnvelopeAsWritten: boolean
}
