/** The result of a plain GET of a file. */
export interface Reading {
  body: Buffer
  revision: string
  /** The page for people. */
  url: string
  /**
   * False if comments, pin, attachments or names have changed since the revision was written: no 304 then.
   */
  isEnvelopeAsWritten: boolean
}
