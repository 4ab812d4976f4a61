export interface Reading {
  body: Buffer
  revision: string
  url: string
  /**
   * False if comments, pin, attachments or names have changed since the revision was written: no 304 then.
   */
  isEnvelopeAsWritten: boolean
}
